from __future__ import annotations

from collections.abc import Collection
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import MOST, RecallIndex, recall_entries

TODAY = date(2026, 11, 25)
SESSION = """# Session Title
Winter glazes
# Current State
- The celadon tiles are in the kiln
- Prices are being checked
# Constraints
- No barium in anything that touches food
# Next Steps
- Photograph the tiles
# Worklog
- Mixed rutile
"""
MEMORY = """# Channel Memory
## Preferences
- Marguerite likes recipes in percent
## Decisions
- The clay body is Westerwald stoneware
- Raku weekends were given up
## Update 2026-03-01T10:00:00Z
- Staging listens on port 8443
## Update 2026-05-01T10:00:00Z
- Staging listens on port 9443
"""
HISTORY = """# Channel History
## 2026-05-01T08:00:00Z to 2026-05-20T18:00:00Z
The raku weekend had eleven guests.
## 2025-05-01T08:00:00Z to 2025-05-20T18:00:00Z
Moved into the tram depot.
"""


def index_of(session: str = SESSION, memory: str = MEMORY, history: str = HISTORY, shared: str = "") -> RecallIndex:
    files = (
        *((session, Source.SESSION, "SESSION.md"), (memory, Source.MEMORY, "MEMORY.md")),
        *((shared, Source.SHARED, "workspace/MEMORY.md"), (history, Source.HISTORY, "HISTORY.md")),
    )
    return RecallIndex(entry for text, source, path in files for entry in entries(text, source, path))


def search(
    question: str,
    index: RecallIndex | None = None,
    chars: int = 2_000,
    favoured: Collection[str] = (),
    previous: str = "",
) -> list[str]:
    its = index or index_of()
    answer = recall_entries(question, its, today=TODAY, budget_chars=chars, favoured=favoured, previous=previous)
    return [entry.text for entry in answer]


def bullets(*texts: str, heading: str = "## Notes") -> str:
    return heading + "\n" + "".join(f"- {text}\n" for text in texts)


@pytest.mark.req("S4-72")
def test_a_message_that_nothing_bears_on_gets_nothing(subtests: pytest.Subtests) -> None:
    for message in [
        "thanks!",
        "tell me a joke",
        "good morning",
        "how do vaccines work?",
        "你好",
        "ありがとう",
        "안녕하세요",
        "",
        "???",
        "Guten Morgen",
    ]:
        with subtests.test(message=message):
            assert search(message) == []
            assert search(message, RecallIndex(())) == []


@pytest.mark.req("S4-74")
def test_only_the_entries_that_bear_on_a_message_are_shown() -> None:
    assert search("may I use barium?") == ["No barium in anything that touches food"]
    assert search("what clay body do we have?") == ["The clay body is Westerwald stoneware"]


def test_one_word_that_says_something_is_not_enough_but_two_are() -> None:
    index = index_of("", bullets("the class goes by train", "the shop has coffee"), "")
    assert search("I like my class and the new shop", index) == []
    assert search("the train for the class was late", index) == ["the class goes by train"]


def test_a_short_question_is_content_with_one_word_that_says_something() -> None:
    index = index_of("", bullets("the train leaves at nine"), "")
    assert search("where is the train with the book?", index) == ["the train leaves at nine"]
    assert search("here is the train", index) == []
    assert search("where is the train with the book, the shelf and the tables?", index) == []


def test_a_long_message_must_share_more() -> None:
    index = index_of("", bullets("the celadon runs"), "")
    others = " ".join(f"{letter}{other}qu" for letter in "abcde" for other in "vwxyz")
    assert search(f"celadon {others[:40]}", index) == ["the celadon runs"]
    assert search(f"celadon {others}", index) == []


def test_what_most_entries_are_about_says_less() -> None:
    many = bullets(*(f"kilnroom note {number}" for number in range(12)), "the kilnroom is closed on holidays")
    index = index_of("", many, "")
    assert search("the kilnroom smells", index) == []
    assert search("kilnroom holidays", index)[0] == "the kilnroom is closed on holidays"
    assert "kilnroom note 3" in search("the kilnroom smells", index_of("", bullets("kilnroom note 3"), ""))


def test_a_word_is_found_where_another_begins_with_it() -> None:
    index = index_of("", bullets("Heckenhöhe höchstens ein Meter", "cockroachdb was rejected"), "")
    assert search("wie ist das mit der Hecke?", index) == ["Heckenhöhe höchstens ein Meter"]
    assert search("ich mag Hecken", index) == [], "it says less than the word itself"
    assert search("what about cockroach?", index) == ["cockroachdb was rejected"]
    assert search("what about cock?", index_of("", bullets("zebra"), "")) == []


@pytest.mark.req("S4-75")
def test_going_on_brings_the_state_and_the_next_steps_with_no_word_in_common(subtests: pytest.Subtests) -> None:
    for message in ["continue", "what's next?", "weiter", "继续", "続けて", "계속"]:
        with subtests.test(message=message):
            assert search(message) == [
                "The celadon tiles are in the kiln",
                "Prices are being checked",
                "Photograph the tiles",
            ]
            assert search(message, index_of("")) == []


@pytest.mark.req("S4-76")
def test_a_question_of_taste_finds_what_is_remembered() -> None:
    assert search("how does Marguerite like her recipes?")[0] == "Marguerite likes recipes in percent"


@pytest.mark.req("S4-77")
def test_a_question_about_a_month_finds_its_history_with_no_word_in_common() -> None:
    assert search("what did we do in May?") == ["The raku weekend had eleven guests."]
    assert search("what did we do in May 2025?") == ["Moved into the tram depot."]
    assert search("Was haben wir im Mai gemacht?") == ["The raku weekend had eleven guests."]
    assert search("what did we do in June?") == []


def test_a_question_about_something_in_a_month_is_about_the_thing_first() -> None:
    assert search("where were the raku guests in May?")[0] == "The raku weekend had eleven guests."
    assert "Moved into the tram depot." not in search("where were the raku guests in May?")


def test_of_one_thing_in_several_months_the_month_that_is_asked_about_is_first() -> None:
    history = "## 2026-03-02\nThe raku weekend.\n## 2026-07-02\nThe raku weekend with many more guests than before.\n"
    index = index_of("", "", history + "## 2026-09-02\nThe raku.\n")
    assert search("how was raku in July?", index)[0] == "The raku weekend with many more guests than before."
    assert search("how was raku?", index)[0] == "The raku."


def test_a_month_brings_nothing_where_the_thing_itself_is_found() -> None:
    assert search("which clay body did we buy in May?") == ["The clay body is Westerwald stoneware"]


def test_of_two_that_fit_that_in_the_section_that_is_named_is_first() -> None:
    index = index_of(
        "", bullets("celadon is green", heading="## Facts") + bullets("celadon stays", heading="## Decisions"), ""
    )
    assert search("celadon decisions", index)[0] == "celadon stays"
    assert search("celadon facts", index)[0] == "celadon is green"


def test_a_topic_is_a_term_of_more_than_a_quarter_of_ten_entries_or_more(subtests: pytest.Subtests) -> None:
    for having, others, is_topic in [(3, 9, False), (4, 8, True), (3, 7, True), (3, 6, False)]:
        with subtests.test(having=having, others=others):
            many = bullets(
                *(f"kilnroom note {number}" for number in range(having)),
                *(f"tile {number}" for number in range(others)),
            )
            assert index_of("", many, "").is_topic("kilnroom") is is_topic


def test_a_section_that_is_asked_for_by_its_name_is_shown() -> None:
    assert search("what are our constraints?") == ["No barium in anything that touches food"]
    assert search("constraints, constraints") == []


@pytest.mark.req("S4-73")
def test_of_two_entries_that_are_alike_the_newer_is_first() -> None:
    old, new = (
        bullets("the depot opens at nine", heading="## Update 2026-01-01"),
        bullets("the depot opens at ten now", heading="## Update 2026-06-01"),
    )
    for text in (old + new, new + old):
        assert search("when does the depot open?", index_of("", text, ""))[0] == "the depot opens at ten now"


@pytest.mark.req("S4-92", "S4-93", "S4-94")
def test_of_one_fact_that_is_said_twice_only_what_holds_is_shown() -> None:
    assert search("which port does staging have?") == ["Staging listens on port 9443"]
    stale = bullets("celadon tiles wait in the kiln", heading="## Update 2026-06-01")
    assert search("celadon tiles", index_of(memory=stale)) == [
        "The celadon tiles are in the kiln",
        "Photograph the tiles",
    ]
    history = "## 2026-06-01T08:00:00Z to 2026-06-20T18:00:00Z\nThe clay body is Westerwald porcelain.\n"
    assert search("which clay body?", index_of(history=history)) == ["The clay body is Westerwald stoneware"]


@pytest.mark.req("S4-92", "S4-93", "S4-94")
def test_of_the_same_terms_in_two_files_the_state_is_first_then_memory_then_history() -> None:
    rest = "alpha bravo charlie delta echo foxtrot"
    index = index_of(
        bullets(f"depot is in the harbour now, {rest} golf hotel india", heading="# Current State"),
        bullets("depot is central", heading="## Decisions"),
        "## 2026-10-01 to 2026-11-20\nThe depot.\n",
        bullets("depot and shared things", heading="## Facts"),
    )
    order = search("depot?", index)
    assert [text.split(",")[0] for text in order] == [
        *("depot is in the harbour now", "depot is central", "depot and shared things", "The depot.")
    ]


def test_entries_of_one_day_and_file_do_not_outdate_one_another() -> None:
    index = index_of("", bullets("kilnroom 3 fires at 1200 degrees", "kilnroom 4 fires at 1150 degrees"), "")
    assert len(search("how hot do the kilnroom fires get?", index)) == 2


def test_of_what_is_admitted_the_rarer_terms_are_first() -> None:
    index = index_of(
        "", bullets("celadon runs", "celadon needs rutile", *(f"celadon tile{number}" for number in range(5))), ""
    )
    assert search("celadon rutile", index)[0] == "celadon needs rutile"


def test_what_is_not_admitted_stands_behind_and_only_if_it_bears_on_the_message_enough() -> None:
    others = (f"note {number}" for number in range(8))
    index = index_of(
        "", bullets("the shop is open", "celadon is for the new shop of the museum on the hill", *others), ""
    )
    assert search("celadon shop", index) == [
        "celadon is for the new shop of the museum on the hill",
        "the shop is open",
    ]
    assert search("the shop", index) == []
    long = bullets("celadon rutile tenmoku shino crawl", "the shop has " + " ".join(f"thing{n}" for n in range(40)))
    assert search("celadon rutile tenmoku shino crawl shop", index_of("", long, "")) == [
        "celadon rutile tenmoku shino crawl"
    ]


def test_history_is_shown_only_where_it_is_admitted_itself() -> None:
    index = index_of("", bullets("celadon in the shop"), "## 2026-05-01\nThe shop opened.\n")
    assert search("celadon for the shop", index) == ["celadon in the shop"]


def test_what_a_skill_declares_counts_for_more_and_admits_nothing() -> None:
    text = bullets("celadon is green", heading="## Colours") + bullets("celadon is costly", heading="## Prices")
    index = index_of("", text, "")
    assert search("celadon", index, favoured=("prices",))[0] == "celadon is costly"
    assert search("celadon", index, favoured=("Colours",))[0] == "celadon is green"
    assert search("hello", index, favoured=("Colours", "MEMORY.md")) == []
    two = index_of("", bullets("celadon is green"), "", bullets("celadon is costly"))
    assert search("celadon", two)[0] == "celadon is green"
    assert search("celadon", two, favoured=("workspace/memory.md",))[0] != "celadon is costly", "what holds stays first"


def test_the_message_before_tells_apart_what_a_short_question_leaves_open() -> None:
    index = index_of("", bullets("the train to Vienna is slow", "the train to Prague is fast"), "")
    assert search("and the train?", index, previous="tell me about Prague")[0] == "the train to Prague is fast"
    assert search("and the train?", index, previous="tell me about Vienna")[0] == "the train to Vienna is slow"
    assert search("thanks", index, previous="tell me about Vienna") == []
    assert search("I take a train?", index, previous="we were in Vienna")[0] == "the train to Vienna is slow"


@pytest.mark.req("S4-71")
def test_no_more_is_shown_than_there_is_room_for_but_for_the_first() -> None:
    index = index_of("", bullets(*(f"celadon {'x' * 100}{number}" for number in range(60))), "")
    assert len(search("celadon?", index, chars=500)) == 4
    assert len(search("celadon?", index, chars=10)) == 1
    assert len(search("celadon?", index, chars=100_000)) == MOST


def test_what_does_not_fit_leaves_its_room_to_what_does() -> None:
    index = index_of("", bullets("celadon rutile", "celadon " + "long" * 200, "celadon short and sweet and more"), "")
    assert search("celadon rutile", index, chars=100) == ["celadon rutile", "celadon short and sweet and more"]


def test_headings_that_people_choose_are_looked_in_and_those_of_every_file_are_not() -> None:
    assert search("celadon?", index_of("", bullets("it runs", heading="## Celadon"), "")) == ["it runs"]
    assert search("celadon?", index_of("", "## Decisions\n### Celadon\n- it runs\n", "")) == ["it runs"]
    assert search("decisions about clouds", index_of("", bullets("it runs", heading="## Decisions"), "")) == []
    assert search("update it", index_of("", bullets("it runs", heading="## Update 2026-05-01"), "")) == []


@pytest.mark.req("S4-183")
@pytest.mark.req("X-109")
def test_scripts_without_blanks_are_found_by_their_pairs() -> None:
    memory = bullets("检索引擎选用 Meilisearch", "集合場所は穂高駅", "숙소 예산은 팔만 원")
    index = index_of("", memory, "")
    assert search("检索引擎是什么？", index) == ["检索引擎选用 Meilisearch"]
    assert search("集合場所はどこ？", index) == ["集合場所は穂高駅"]
    assert search("숙소 예산이 얼마야?", index) == ["숙소 예산은 팔만 원"]


@given(st.text(max_size=120), st.integers(0, 400), st.text(max_size=40))
def test_any_message_gets_entries_of_the_files_each_once(message: str, chars: int, previous: str) -> None:
    index = index_of()
    answer = recall_entries(message, index, today=TODAY, budget_chars=chars, previous=previous)
    assert set(answer) <= set(index.entries)
    assert len(answer) == len(set(answer))
    assert answer == recall_entries(message, index, today=TODAY, budget_chars=chars, previous=previous)


def test_an_index_takes_the_terms_of_entries_that_stayed_from_the_one_before() -> None:
    before = index_of()
    again = RecallIndex(index_of(memory=f"{MEMORY}- Kilns are booked by Otto\n").entries, before)
    shared_keys = [key for key, counts in again.counts.items() if counts is before.counts.get(key)]
    assert len(shared_keys) == len(before.counts) == len(again.counts) - 1
    whole = RecallIndex(again.entries)
    assert (again.entries, again.postings, again.keys) == (whole.entries, whole.postings, whole.keys)
    assert set(RecallIndex(before.entries[:3], again).counts) == {(e.section, e.text) for e in before.entries[:3]}


def test_a_mention_asks_for_nothing() -> None:
    for message in ("<@123> which constraints are there?", "@Remembrancer which constraints are there?"):
        assert search(message, index_of("", bullets("No barium", heading="## Constraints"), "")) == ["No barium"]
