from __future__ import annotations

from datetime import date

import pytest

from domain.workspace.recall.entries import Entry, Source
from domain.workspace.recall.intent import Intent, intent, spent_words, without_spent
from domain.workspace.recall.terms import asked, terms

TODAY = date(2026, 11, 25)


def meant(message: str, *, has_other_terms: bool = False) -> Intent:
    return intent(message, TODAY, has_other_terms=has_other_terms)


@pytest.mark.parametrize(
    ("message", "months"),
    [
        ("What did we do in May?", ((2026, 5),)),
        ("what did we do in May", ((2026, 5),)),
        ("Was haben wir im März gemacht?", ((2026, 3),)),
        ("Was war im Mai 2025 los?", ((2025, 5),)),
        ("what happened in December?", ((2025, 12),)),
        ("what happened in November?", ((2026, 11),)),
        ("May 2024?", ((2024, 5),)),
        ("5月我们做了什么？", ((2026, 5),)),
        ("2025年12月做了什么？", ((2025, 12),)),
        ("十二月做了什么？", ((2025, 12),)),
        ("十月做了什么？", ((2026, 10),)),
        ("五月に何がありましたか", ((2026, 5),)),
        ("5월에 뭐 했어?", ((2026, 5),)),
        ("in May or in May?", ((2026, 5),)),
        ("what did we do in March and in April?", ((2026, 3), (2026, 4))),
    ],
)
def test_a_question_about_a_month_means_the_last_one_of_its_name(
    message: str, months: tuple[tuple[int, int], ...]
) -> None:
    assert meant(message).months == months


@pytest.mark.parametrize(
    "message", ["In May I will visit Rome", "May I ask?", "march on!", "what may we do?", "何月曜日?", "15月?"]
)
def test_a_month_that_is_not_asked_about_is_none(message: str) -> None:
    assert meant(message).months in ((), ((2026, 5),) if "15" in message else ())


def test_a_message_that_names_a_section_and_nothing_else_asks_for_it() -> None:
    assert meant("what are our constraints?").sections == ("constraints",)
    assert meant("what are our constraints?").only_sections
    assert not meant("what are our constraints?", has_other_terms=True).only_sections
    assert not meant("constraints").only_sections, "it is no question"
    assert meant("Welche Entscheidungen haben wir?").sections == ("decisions",)
    assert meant("有什么限制？").sections == ("constraints",)
    assert not meant("hello?").only_sections


@pytest.mark.parametrize(
    "message",
    [
        *("list all rules", "Please list our rules", "give me the constraints", "which restrictions apply here?"),
        *(
            "Nenn mir alle Vorgaben",
            "Welche Regeln gelten?",
            "Gib mir die Einschränkungen",
            "welche Auflagen bestehen?",
        ),
        *("有哪些限制", "列出规则", "告诉我规定", "有什么规则要遵守?"),
        *("制約を教えて", "ルールを見せて", "守るべき制限はありますか", "規則の一覧"),
        *("제약 조건을 알려줘", "규칙을 보여줘", "지금 적용되는 제한이 뭐야?", "규정 정리해 줘"),
    ],
)
def test_a_section_is_asked_for_politely_and_with_the_verbs_of_rules(message: str) -> None:
    wanted = asked(without_spent(message, spent_words(message)))
    others = {term for term, telling in wanted.items() if telling} - set(terms(spent_words(message)))

    assert others == set()
    assert meant(message).sections == ("constraints",)
    assert meant(message).only_sections


def test_the_verbs_of_rules_are_words_like_others_where_no_section_is_named() -> None:
    assert spent_words("which projects exist?") == ""
    assert "exist" in spent_words("which rules exist?")


def test_going_on_is_no_question_for_a_section() -> None:
    assert meant("next steps?").goes_on
    assert not meant("next steps?").only_sections


def test_the_words_that_name_sections_and_months_are_known() -> None:
    assert spent_words("Which decisions did we take in May about kilns?").split() == ["decisions", "in", "may"]
    assert spent_words("hello") == ""


@pytest.mark.parametrize(
    ("message", "best"),
    [
        ("which glaze does she prefer?", Source.MEMORY),
        ("what did we do last year?", Source.HISTORY),
        ("what happened in May?", Source.HISTORY),
        ("kiln", None),
    ],
)
def test_tastes_weigh_for_memory_and_what_was_for_history(message: str, best: Source | None) -> None:
    weights = {source: meant(message).weight(Entry(source, "", "", "", 1)) for source in Source}
    assert {source for source in Source if weights[source] > 1} == (
        {Source.MEMORY, Source.SHARED} if best is Source.MEMORY else {best} if best else set()
    )


@pytest.mark.parametrize(
    ("message", "asks"),
    [("it is?", True), ("What is it", True), ("wo ist es", True), ("这是什么", True), ("it is", False)],
)
def test_a_question_is_known_by_its_mark_or_its_first_word(message: str, asks: bool) -> None:
    assert meant(message).asks is asks
