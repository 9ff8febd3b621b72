"""Thoughts within a text: the parts that a model wrote for itself, between marks, before the answer.

Models mark thoughts by tags (`<think>`), by words of their templates (gpt-oss: a channel), or only at the end if
the template wrote the opening mark. Marks in code or in a sentence are text, and so are marks that people ask about.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

_NAME = (
    r"(?:[a-z]{1,12}:)?(?:redacted_|longcat_|ant)?(?:think(?:ing)?|thoughts?|reasoning|reasoning_content)"
    r"|think_never_used_\w{1,40}|inner_monologue|scratchpad"
)
_TAG = re.compile(rf"<(/?)(?:{_NAME})(?:\s[^<>]{{0,80}})?\s*>", re.IGNORECASE)
_PAIRS = (
    (
        re.compile(rf"<(?:{_NAME})(?:\s[^<>]{{0,80}})?>", re.IGNORECASE),
        re.compile(rf"</(?:{_NAME})\s*>", re.IGNORECASE),
    ),
    (re.compile(r"\[THINK\]"), re.compile(r"\[/THINK\]")),
    (re.compile(r"<\|begin_of_thought\|>"), re.compile(r"<\|end_of_thought\|>")),
    (re.compile(r"<\|START_THINKING\|>"), re.compile(r"<\|END_THINKING\|>")),
    (re.compile(r"◁think▷"), re.compile(r"◁/think▷")),
    (re.compile(r"<\|channel>\s?thought\b"), re.compile(r"<channel\|>")),
    (re.compile(r"<\|think\|>"), re.compile(r"<\|/think\|>|<\|end_think\|>")),
    (re.compile(r"<details type=\"reasoning\"[^<>]{0,80}>"), re.compile(r"</details>")),
)
"""Opening and closing marks of model families; several tag names count as one, since models mix the names."""
_OPENINGS = (
    *("<think>", "<thinking>", "<thought>", "<thoughts>", "<reasoning>", "<antthinking>", "<seed:think>", "<mm:think>"),
    *("<scratchpad>", "<inner_monologue>", "<redacted_thinking>", "<longcat_think>", "<reasoning_content>"),
    *("[think]", "<|begin_of_thought|>", "<|start_thinking|>", "◁think▷", "<|channel>thought", "<|think|>"),
    *('<details type="reasoning"', "<|channel|>analysis", "<|start|>assistant<|channel|>", "analysis"),
)
_CODE = re.compile(
    r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1`*~*[ \t]*$|\Z)|(?<!`)(`+)(?!`)[^\n]{1,2000}?(?<!`)\2(?!`)",
    re.DOTALL | re.MULTILINE,
)

_CHANNELS = re.compile(r"<\|channel\|>")
_SEGMENT = re.compile(
    r"(?:<\|start\|>)?(?P<role>[a-z]{0,12})(?P<to1> to=[\w.]{1,80})?<\|channel\|>(?P<channel>\w{1,20})"
    r"(?P<head>[^<]{0,200})"
    r"(?:<\|constrain\|>\s?\w*)?<\|message\|>(?P<body>.*?)(?P<end><\|(?:end|call|return|start)\|>|\Z)",
    re.DOTALL,
)
_TO = re.compile(r"\bto=([\w.]+)")
_WORN_CHANNELS = re.compile(r"\s*analysis(?=[A-Z][a-z' ]|\n)")
"""Channels of which a server removed the marks and left the names."""
_WORN_FINAL = re.compile(r"assistant\s?(?:commentary.{0,4000}?assistant\s?)?final(?=[^a-z])", re.DOTALL)
_MAY_HOLD_MARK = re.compile(r"[<◁]|\[/?THINK\]|\A\s*analysis")
_BLANK = re.compile(r"\s*")
_REST_OF_LINE = re.compile(r"[^\S\n]*(?:\n|\Z)")
_MOST_INDENT = 200
"""Characters before a mark that are searched for the beginning of the line."""
_MOST_MARKS = 1_000
"""Most marks of a kind to examine; further marks are words of the text."""
_IN_SENTENCE = (" ", ".", ",", ";", ":", "!", "?", ")", "'", '"')


@dataclass(frozen=True, slots=True)
class Parted:
    """Parts of a text."""

    answer: str
    thoughts: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments of calls in separate channels."""
    is_open: bool = False
    """True if the text ends amid thoughts."""


def part_thoughts(text: str, *, is_topic: bool = False) -> Parted:
    """Split a text into the answer and the thoughts.

    Args:
        text: The text as the model wrote it.
        is_topic: True if people write about such marks, so an answer may name the marks.
    """
    if not _MAY_HOLD_MARK.search(text):
        return Parted(text)
    if _CHANNELS.search(text) and (parted := _channels(text)) is not None:
        return parted
    if (worn := _WORN_CHANNELS.match(text)) is not None:
        end = _WORN_FINAL.search(text, worn.end())
        answer = "" if end is None else text[end.end() :].lstrip()
        return Parted(answer, text[worn.end() : end.start() if end else None].strip(), is_open=end is None)
    thoughts: list[str] = []
    at, is_open = _leading(text, thoughts, is_topic)
    rest = text[at:]
    if not is_open:
        rest = rest[_skip_unopened(rest, thoughts, is_topic) :]
        if not is_topic:
            rest, is_open = _amid(rest, thoughts)
    return Parted(rest.strip(), "\n\n".join(filter(None, thoughts)), is_open=is_open) if thoughts else Parted(text)


def shown_so_far(text: str, *, is_topic: bool = False) -> str:
    """Beginning of an answer that may be shown to people during streaming."""
    lead = text.lstrip().lower()
    if any(opening.startswith(lead) for opening in _OPENINGS) or re.fullmatch(r"\s*analysis[A-Z]", text):
        return ""
    parted = part_thoughts(text, is_topic=is_topic)
    answer = parted.answer
    cut = max(answer.rfind("<"), answer.rfind("◁"))
    return answer[:cut] if cut >= 0 and _may_become_mark(answer[cut:]) else answer


def has_mark(text: str) -> bool:
    """True if a text holds a mark of thoughts."""
    return bool(_TAG.search(text)) or any(pair.search(text) for marks in _PAIRS[1:] for pair in marks)


def is_unopened(text: str) -> bool:
    """True if a text begins with thoughts marked only by a closing mark."""
    return _leading(text, [], is_topic=False) == (0, False) and _skip_unopened(text, [], is_topic=False) > 0


def _may_become_mark(tail: str) -> bool:
    if re.fullmatch(r"<\|[\w|]{0,40}", tail):
        return True
    small = tail.lower()
    closings = ("</" + opening[1:] for opening in _OPENINGS if opening.startswith("<") and opening.isascii())
    return len(small) < 24 and any(mark.startswith(small) for mark in (*_OPENINGS, *closings, "◁/think▷"))


def _leading(text: str, thoughts: list[str], is_topic: bool) -> tuple[int, bool]:
    """End of the thoughts at a text's beginning; True if the last thought is not closed."""
    at = 0
    while True:
        start = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches nothing, too
        for opening, closing in _PAIRS:  # noqa: B007 - used behind the loop
            if (begin := opening.match(text, start)) is not None:
                break
        else:
            return at, False
        end = closing.search(text, begin.end())
        if is_topic and _is_named(text, begin, end):
            return at, False
        thoughts.append(text[begin.end() : len(text) if end is None else end.start()].strip())
        if end is None:
            return len(text), True
        at = end.end()


def _is_named(text: str, begin: re.Match[str], end: re.Match[str] | None) -> bool:
    """True if marks at a text's beginning are words of the first sentence."""
    if end is None:
        return text.startswith(_IN_SENTENCE, begin.end())
    return "\n" not in text[begin.end() : end.start()] and text.startswith(_IN_SENTENCE, end.end())


def _skip_unopened(text: str, thoughts: list[str], is_topic: bool) -> int:
    """End of thoughts without an opening mark; 0 without such thoughts."""
    at = 0
    for opening, closing in _PAIRS[:-1]:
        if closing.search(text) is None:
            continue
        code = _code_spans(text)
        openings = (begin.start() for begin in islice(opening.finditer(text), _MOST_MARKS))
        first = next((begin for begin in openings if not _is_within(code, begin)), len(text))
        for end in islice(closing.finditer(text, 0, first), _MOST_MARKS):
            if not _is_within(code, end.start()) and _is_border(text, end, is_topic):
                thoughts.append(text[at : end.start()].strip())
                at = end.end()
    return at


def _amid(text: str, thoughts: list[str]) -> tuple[str, bool]:
    """The text without thoughts in separate lines behind the first words, and True if thoughts are still open."""
    for opening, closing in _PAIRS[:-1]:
        parts, at, end, is_last_of_line = list[str](), 0, None, False
        for begin in islice(opening.finditer(text), _MOST_MARKS):
            if begin.start() < at or _line_before(text, begin.start()).strip():
                continue
            if _is_within(_code_spans(text), begin.start()):
                continue
            if end is None or end.start() < begin.end():  # looked for once, though many openings stand before it
                end = closing.search(text, begin.end())
                is_last_of_line = _ends_line(text, begin.end() if end is None else end.end())
            if not is_last_of_line:
                continue
            thoughts.append(text[begin.end() : len(text) if end is None else end.start()].strip())
            parts.append(text[at : begin.start()].strip("\n"))
            if end is None:
                return "\n\n".join(filter(None, parts)), True
            at = end.end()
        text = "\n\n".join(filter(None, (*parts, text[at:].strip("\n")))) if parts else text
    return text, False


def _is_border(text: str, mark: re.Match[str], is_topic: bool) -> bool:
    """True if a closing mark parts thoughts from an answer, and is not a word in a sentence."""
    before = _line_before(text, mark.start())
    behind = text[mark.end() : mark.end() + 80].partition("\n")[0]
    if not before.strip() and not behind.strip():
        return True
    if is_topic:
        return False
    if behind.startswith(" ") and before.endswith((" ", "\t", '"', "'", "(")):
        return before.rstrip().endswith((".", "!", "?"))
    return not behind.startswith((".", ",", ";", ")", '"', "'"))


def _line_before(text: str, at: int) -> str:
    """The line before a place, up to a maximum number of characters."""
    return text[max(0, at - _MOST_INDENT) : at].rpartition("\n")[2]


def _ends_line(text: str, at: int) -> bool:
    return _REST_OF_LINE.match(text, at) is not None


@lru_cache(maxsize=8)
def _code_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Fenced blocks and inline code of a text."""
    return tuple(match.span() for match in _CODE.finditer(text)) if "`" in text or "~~~" in text else ()


def _is_within(spans: tuple[tuple[int, int], ...], at: int) -> bool:
    place = bisect_left(spans, (at,)) - 1  # the last span that begins before
    return place >= 0 and at < spans[place][1]


def _channels(text: str) -> Parted | None:
    """The parts of a text in the channels of gpt-oss; None if the channels stand in code."""
    first = _CHANNELS.search(text)
    if first is None or _is_within(_code_spans(text), first.start()):
        return None
    answers, thoughts, calls = list[str](), list[str](), list[tuple[str, str]]()
    segments = [*_SEGMENT.finditer(text, max(0, first.start() - 120))]
    if not segments:
        return Parted("", text, is_open=True)
    if lead := text[: segments[0].start()].strip():
        answers.append(lead)
    for segment in segments:
        to = _TO.search(f"{segment['to1'] or ''} {segment['head']}")
        body = segment["body"].strip()
        if to is not None:
            calls.append((to[1], body))
        elif segment["channel"] == "analysis":
            thoughts.append(body)
        else:
            answers.append(body)
    is_open = segments[-1]["channel"] == "analysis" and not segments[-1]["end"]
    return Parted("\n\n".join(filter(None, answers)), "\n\n".join(thoughts), tuple(calls), is_open)
