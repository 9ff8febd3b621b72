"""Thoughts in texts of models: which part is the answer."""

from __future__ import annotations

import time

import pytest

from domain.text.answer.thoughts import Parted, is_unopened, part_thoughts, shown_so_far

PARTED = {
    "<think>hm</think>\n\nHello": ("Hello", "hm"),
    "<thinking>\na\n</thinking>ok": ("ok", "a"),
    "<reasoning>a</reasoning> ok": ("ok", "a"),
    "<thought>a</thought>\nok": ("ok", "a"),
    "<THINK>a</THINK>ok": ("ok", "a"),
    "<think>\n\n</think>\n\nok": ("ok", ""),
    "<think>a</think>": ("", "a"),
    "<think>hm": ("", "hm"),
    "<think>a</think><think>b</think>c": ("c", "a\n\nb"),
    "<thinking>a</think>ok": ("ok", "a"),
    "<seed:think>a</seed:think>ok": ("ok", "a"),
    "[THINK]a[/THINK]ok": ("ok", "a"),
    "◁think▷a◁/think▷ok": ("ok", "a"),
    "<|START_THINKING|>a<|END_THINKING|>ok": ("ok", "a"),
    "<|channel>thought\na<channel|>ok": ("ok", "a"),
    "a\n</think>\n\nHello": ("Hello", "a"),
    "2+2=4.</think>The answer": ("The answer", "2+2=4."),
    "2+2=4.</think> The answer": ("The answer", "2+2=4."),
    "Sure.\n<think>\na\n</think>\nHello": ("Sure.\n\nHello", "a"),
    "Sure.\n<think>\na": ("Sure.", "a"),
    "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>": ("Hi", "a"),
    "<|channel|>analysis<|message|>a": ("", "a"),
    "analysisWe greet.assistantfinalHi": ("Hi", "We greet."),
}
"""Texts with thoughts -> answer and thoughts."""
WHOLE = (
    "Hello",
    "a < b",
    "Use </think> to close it.",
    "The tag `<think>` opens and `</think>` closes.",
    "```\n<think>a</think>\n```",
    "```xml\n<think>\n</think>\n```\nSo it is.",
    "BEGIN <think>inner</think> AFTER END",
    "BEGIN </think> AFTER END",
    "Analysis shows that it is final.",
    "<thinkpad> is no tag",
    "<b>bold</b>",
)
"""Texts that are all answer."""
TOPIC = {
    "<think> and </think> mark thoughts.": "<think> and </think> mark thoughts.",
    "<think> opens them.": "<think> opens them.",
    "So:\n<think>\na\n</think>\nis the form.": "So:\n<think>\na\n</think>\nis the form.",
    "It ends with </think>\nand then goes on.": "It ends with </think>\nand then goes on.",
    "<think>a</think>Hello": "Hello",
    "<think>\na\n</think>\nHello": "Hello",
}
"""Texts where people speak of such marks -> answer."""


@pytest.mark.req("X-213")
def test_a_text_is_parted_into_answer_and_thoughts() -> None:
    failures = [
        (text, parted)
        for text, (answer, thoughts) in PARTED.items()
        if ((parted := part_thoughts(text)).answer, parted.thoughts) != (answer, thoughts)
    ]
    assert not failures


def test_marks_in_code_and_in_sentences_are_text() -> None:
    assert not [text for text in WHOLE if part_thoughts(text).answer != text or part_thoughts(text).thoughts]


def test_marks_that_people_speak_of_are_text_unless_they_enclose_thoughts() -> None:
    parted = {text: part_thoughts(text, is_topic=True).answer for text in TOPIC}
    assert parted == TOPIC


def test_no_piece_of_a_thought_is_shown_while_it_is_written() -> None:
    """Servers cut tags anywhere (LibreChat-AI/agents#40)."""
    opened = [text for text, (answer, _) in PARTED.items() if text[0] in "<[◁" or text.startswith("analysisW")]
    assert len(opened) > 15
    failures = [
        (text[:size], visible)
        for text in opened
        for size in range(len(text) + 1)
        if not PARTED[text][0].startswith((visible := shown_so_far(text[:size])).rstrip())
    ]
    assert not failures


def test_an_answer_is_shown_while_it_is_written() -> None:
    for text in WHOLE:
        visible = [shown_so_far(text[:size]) for size in range(len(text) + 1)]
        assert visible[-1] == text
        assert all(text.startswith(each) for each in visible)


@pytest.mark.parametrize(
    "text",
    [
        "<think>x</think>\n" * 20_000,
        "\n<think>x</think>\nword" * 10_000,
        "</think>" * 20_000,
        "x\n</think>\n" * 20_000,
        "a" * 300_000 + "<|channel|>",
        "` `` ``` " * 20_000 + "</think>",
        "x" + "\n<think>" * 40_000 + "</think> x",
        "x" + "<think>" * 60_000 + "</think>",
        "x" + "</think>." * 60_000,
        "`<think>` " * 60_000 + "</think>.",
        "`</think>` " * 60_000,
        "x" + "\n<think>" * 20_000 + "</think>" + " " * 200_000 + "x",
    ],
    ids=lambda text: text[:12],
)
def test_any_text_is_read_in_little_time(text: str) -> None:
    before = time.process_time()
    part_thoughts(text)
    shown_so_far(text)
    is_unopened(text)
    assert time.process_time() - before < 5


@pytest.mark.req("X-238")
@pytest.mark.parametrize(
    ("mark", "hidden"),
    [
        ("</think>.", "\n</think>\n"),
        ("`</think>` ", "\n</think>\n"),
        (" <think>", "\n<think>\nhidden\n</think>\n"),
    ],
)
def test_behind_very_many_marks_that_are_words_all_marks_are_words(mark: str, hidden: str) -> None:
    few, many = (f"words {mark * count}{hidden}answer" for count in (100, 2_000))

    assert part_thoughts(few).thoughts
    assert part_thoughts(many) == Parted(many)
    assert not is_unopened(many)
