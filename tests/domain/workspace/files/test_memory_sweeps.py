from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.files.memory_file import (
    SECTIONS,
    MemoryEntry,
    append_entries,
    constraints_of,
    entries_of,
    mark_of,
    sweep_entries,
    sweep_is_due,
    sweep_text,
)
from domain.workspace.files.wording import same_words
from tests.domain.workspace.files.memories import files
from tests.domain.workspace.spoken import AT
from tests.pace import paced_s

BASE = append_entries(
    b"# Memory of the boat\nMind the tide.\n\n## Mine\n- own *list*\n\n## Preferences\n* tea   at four\n* tea at four o'clock\n"
    b"\n## Constraints\n- never sail at night\n\n",
    [MemoryEntry("Constraints", "ask Kim before a loan"), MemoryEntry("Decisions", "the boat stays blue")],
    AT,
    "s1",
)


def answer(**changed: list[str]) -> str:
    reply = {
        "Identity / Participants": [],
        "Preferences": ["tea at four"],
        "Ongoing Work": [],
        "Constraints": ["never sail at night", "ask Kim before a loan"],
        "Decisions": ["the boat stays blue"],
        "Open Loops": [],
    }
    reply.update({title.replace("_", " "): texts for title, texts in changed.items()})
    return "\n".join(f"## {title}\n" + "".join(f"- {text}\n" for text in texts) for title, texts in reply.items())


def test_a_worker_is_told_the_entries_of_the_six_sections_without_marks() -> None:
    prompt_text = sweep_text(BASE)

    assert [line for line in prompt_text.splitlines() if line.startswith("## ")] == [
        f"## {title}" for title in SECTIONS
    ]
    assert "- ask Kim before a loan\n" in prompt_text
    assert "own" not in prompt_text
    assert "m:" not in prompt_text
    assert "Update" not in prompt_text


@pytest.mark.req("S4-61", "S4-91", "S4-103", "S4-162")
def test_a_sweep_moves_what_was_added_into_its_section_and_leaves_the_rest_as_it_is() -> None:
    new_data = sweep_entries(BASE, f"```markdown\n{answer()}\n```", BASE).decode()

    assert new_data == (
        "# Memory of the boat\nMind the tide.\n\n## Mine\n- own *list*\n\n## Preferences\n* tea   at four\n"
        "\n## Constraints\n- never sail at night\n"
        f"- ask Kim before a loan <!-- m:{mark_of('s1', 'ask Kim before a loan')} -->\n\n"
        f"## Decisions\n- the boat stays blue <!-- m:{mark_of('s1', 'the boat stays blue')} -->\n"
    )


def test_what_people_wrote_without_a_section_below_an_added_block_stays_there() -> None:
    base = BASE + b"- by hand\n"

    new_data = sweep_entries(base, answer(), base)

    assert new_data.decode().splitlines()[-2:] == ["## Update 2026-11-22T16:20:00Z", "- by hand"]
    assert not sweep_is_due(new_data + b"x" * 5_000)


def test_what_others_took_out_meanwhile_does_not_come_back() -> None:
    now = BASE.replace(b"* tea   at four\n", b"").replace(
        b"- Decisions: the boat stays blue", b"- Decisions: it is red"
    )

    new_data = sweep_entries(BASE, answer(), now)

    assert [(entry.section, entry.text) for entry in entries_of(new_data)][1:] == [
        ("Constraints", "never sail at night"),
        ("Constraints", "ask Kim before a loan"),
        ("Decisions", "it is red"),
    ]


def test_nothing_is_doubled_by_a_sweep_nor_after_one() -> None:
    reply = answer(Constraints=["never sail at night", "Kim is asked before a loan"])

    new_data = sweep_entries(BASE, reply, BASE)

    old = [MemoryEntry("Constraints", "ask Kim before a loan"), MemoryEntry("Decisions", "the boat stays blue")]
    assert append_entries(new_data, old, AT, "s1") == new_data
    assert sweep_entries(new_data, sweep_text(new_data), new_data) == new_data
    assert sweep_entries(new_data, reply, new_data) == new_data


def test_what_a_sweep_says_anew_has_a_mark_so_that_it_is_not_taken_for_peoples() -> None:
    new_data = sweep_entries(BASE, answer(Decisions=["blue is what the boat stays"]), BASE)

    assert [entry.text for entry in entries_of(new_data) if not entry.mark] == [
        "own *list*",
        "tea at four",
        "never sail at night",
    ]


@pytest.mark.req("S4-154", "X-103")
def test_a_sweep_that_would_lose_or_add_too_much_is_refused(subtests: pytest.Subtests) -> None:
    for reply, rule in [
        ("", "must have the headings Identity"),
        (answer().replace("## Open Loops", ""), "must have the headings Open Loops"),
        (answer() + "## Facts\n- x\n", "heading 'Facts': must be one of"),
        (answer() + "```\nx\n```\n", "must have no code block"),
        (answer(Decisions=["```", "the boat stays blue"]), "must have no markup"),
        (answer(Preferences=[], Decisions=[], Constraints=["never sail at night"]), "must leave 40%"),
        (answer(Preferences=[], Decisions=[], Constraints=["never sail at night " + "so " * 10]), "must leave half of"),
        (answer(Open_Loops=["words that nobody said " * 2]), "must have at most 110%"),
        (answer(Constraints=["ask Kim before a loan", "sail by day only"]), "constraint 'never sail at night'"),
        (answer(Decisions=["the <b>boat</b> stays"]), "must have no markup"),
        (answer(Decisions=["INJECTED_CONTEXT_X y"]), "what the runtime adds"),
        (answer(Decisions=["token: ghp_0123456789abcdefABCDEF"]), r"entry \(secret\): must hold no secret"),
    ]:
        with subtests.test(said=reply, rule=rule), pytest.raises(ValueError, match=rule):
            sweep_entries(BASE, reply, BASE)


def test_peoples_constraint_may_not_leave_its_section() -> None:
    with pytest.raises(ValueError, match="people's own must stay"):
        sweep_entries(BASE, answer(Constraints=["ask Kim before a loan"], Decisions=["never sail at night"]), BASE)


def test_a_sweep_of_a_file_that_has_lost_most_of_its_entries_is_refused() -> None:
    with pytest.raises(ValueError, match="has changed too much"):
        sweep_entries(BASE, answer(), b"# Memory\n- own *list*\n")


def test_what_others_did_meanwhile_is_done_again() -> None:
    new = [MemoryEntry("Open Loops", "sell the old sail")]
    now = append_entries(BASE.replace(b"Mind the tide.", b"Mind the tides.\nAnd the wind."), new, AT, "s2")
    now = now.replace(b"- never sail at night\n", b"- never sail at night\n- nor in fog\n")

    new_data = sweep_entries(BASE, answer(), now)

    assert b"Mind the tides.\nAnd the wind.\n" in new_data
    assert "nor in fog" in constraints_of(new_data)
    assert ("Open Loops", "sell the old sail") in [(entry.section, entry.text) for entry in entries_of(new_data)]
    assert new_data.count(b"never sail at night") == new_data.count(b"ask Kim before a loan") == 1


@given(files, st.lists(st.sampled_from(["- by hand", "own words", "", "## Mine too"]), max_size=3), st.integers(0, 12))
def test_a_line_that_somebody_wrote_meanwhile_is_never_lost(base: bytes, added: list[str], place: int) -> None:
    raw = base.split(b"\n")
    now = b"\n".join([*raw[:place], *(line.encode() for line in added), *raw[place:]])

    try:
        new_data = sweep_entries(base, sweep_text(base), now)
    except ValueError:
        return
    assert {line.encode() for line in added} <= {line.rstrip(b"\r") for line in new_data.split(b"\n")} | {b""}


@given(files)
def test_a_sweep_that_says_the_same_loses_no_entry(base: bytes) -> None:
    new_data = sweep_entries(base, sweep_text(base), base)

    assert {same_words(entry.text) for entry in entries_of(base)} <= {
        same_words(entry.text) for entry in entries_of(new_data)
    }
    assert constraints_of(new_data) == constraints_of(new_data.replace(b"\r\n", b"\n"))


def test_entries_in_another_order_stay_where_they_are() -> None:
    base = b"## Constraints\n*  one\n*  two\n"

    assert sweep_entries(base, answer(Preferences=[], Decisions=[], Constraints=["two", "one"]), base) == base


def test_headings_without_entries_are_no_fault_of_an_answer() -> None:
    assert sweep_entries(BASE, f"# Memory\n\n{answer()}\n## Notes\n", BASE) == sweep_entries(BASE, answer(), BASE)


def test_a_sweep_that_turns_the_order_around_moves_nothing() -> None:
    base = b"## Preferences\n*  one\n*  two\n"

    assert sweep_entries(base, answer(Preferences=["two", "one"], Constraints=[], Decisions=[]), base) == base


def test_a_sweep_lifts_no_constraint_and_makes_none(subtests: pytest.Subtests) -> None:
    for reply in [
        ["never sail at night"],
        ["never sail at night", "lend whatever Kim wants"],
        ["never sail at night", "Kim is asked before a loan"],
        ["Never sail at night!", "tea at four"],
    ]:
        with subtests.test(said=reply):
            new_data = sweep_entries(BASE, answer(Constraints=reply, Open_Loops=["the sail is torn"]), BASE)

            binding = [
                entry.text
                for entry in entries_of(new_data)
                if entry.section == "Constraints" and entry.text in constraints_of(BASE)
            ]
            assert sorted(binding) == ["ask Kim before a loan", "never sail at night"]
            assert not {"lend whatever Kim wants", "Kim is asked before a loan"} & {*constraints_of(new_data)}


def test_rules_that_differ_in_a_sign_are_both_kept() -> None:
    base = b"## Constraints\n- Never use C++ in the firmware\n- Never use C# in the firmware\n## Update 2026-01-01T00:00:00Z\n- Decisions: x y z\n"

    assert constraints_of(sweep_entries(base, sweep_text(base), base)) == constraints_of(base)
    assert len(constraints_of(base)) == 2


def test_what_people_said_in_two_sections_may_stay_in_both() -> None:
    base = b"## Preferences\n- no nuts\n## Constraints\n- no nuts\n"

    assert sweep_entries(base, sweep_text(base), base) == base


def test_a_comment_of_people_s_in_an_added_block_stays() -> None:
    base = b"## Update 2026-01-01T00:00:00Z\n- Decisions: the boat is blue\n<!-- Mona: not blue, I checked -->\n"

    new_data = sweep_entries(base, sweep_text(base), base)

    assert b"<!-- Mona: not blue, I checked -->\n" in new_data
    assert [entry.section for entry in entries_of(new_data)] == ["Decisions"]


def test_a_file_of_thousands_of_entries_costs_less_than_a_second() -> None:
    base = b"## Decisions\n" + b"".join(b"- entry %d\n" % number for number in range(4_400))

    def sweeps() -> None:
        assert sweep_entries(base, sweep_text(base), base) == base

    assert paced_s(sweeps) < 1.5
