from __future__ import annotations

from datetime import date

from domain.workspace.recall.question import Question

TODAY = date(2026, 11, 25)
MONTHS: dict[str, tuple[tuple[int, int], ...]] = {
    "What did we do in May?": ((2026, 5),),
    "Was haben wir im März gemacht?": ((2026, 3),),
    "Was war im Mai 2025 los?": ((2025, 5),),
    "what happened in December?": ((2025, 12),),
    "what happened in November?": ((2026, 11),),
    "May 2024?": ((2024, 5),),
    "and 2024-02?": ((2024, 2),),
    "5月我们做了什么？": ((2026, 5),),
    "2025年12月做了什么？": ((2025, 12),),
    "十二月做了什么？": ((2025, 12),),
    "十月做了什么？": ((2026, 10),),
    "5월에 뭐 했어?": ((2026, 5),),
    "in May or in May?": ((2026, 5),),
    "what did we do in March and in April?": ((2026, 3), (2026, 4)),
    "In May I will visit Rome": (),
    "May I ask?": (),
    "march on!": (),
    "what may we do?": (),
    "何月曜日?": (),
}
GO_ON = {
    "continue": True,
    "OK, go on please!": True,
    "<@123> weiter bitte": True,
    "wie geht's weiter?": True,
    "请继续": True,
    "続けてください": True,
    "계속해줘": True,
    "continue the story": False,
    "go on a diet": False,
    "thanks": False,
    "": False,
}


def test_a_question_about_a_month_means_the_last_one_of_its_name() -> None:
    failures = [text for text, months in MONTHS.items() if Question.of(text, TODAY).months != months]
    assert not failures


def test_a_message_that_only_says_that_work_goes_on_is_known_by_its_whole_wording() -> None:
    failures = [text for text, goes_on in GO_ON.items() if Question.of(text, TODAY).goes_on is not goes_on]
    assert not failures


def test_a_question_whose_telling_words_are_those_of_a_heading_names_only_that() -> None:
    assert Question.of("what are our constraints?", TODAY).names_only({"constraint"})
    assert not Question.of("what are our constraints", TODAY).names_only({"constraint"})
    assert not Question.of("constraints for kilns?", TODAY).names_only({"constraint"})
