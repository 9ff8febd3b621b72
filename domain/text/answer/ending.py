"""Endings of answers: providers' reasons mapped to a `StopReason`, and the words about an ending for people."""

from __future__ import annotations

from domain.text.markdown.code_fences import CodeFences
from messages.model import Completion, StopReason

_REASONS: dict[StopReason, str] = {
    StopReason.LENGTH: "length max_tokens max_output_tokens model_length model_context_window_exceeded context_length"
    " context_length_exceeded context_window_exceeded token_limit max_length incomplete compaction error_limit",
    StopReason.FILTER: "content_filter content_filtered content-filter safety recitation language blocklist"
    " prohibited_content spii image_safety image_prohibited_content image_recitation image_other no_image model_armor"
    " jailbreak sensitive guardrail_intervened error_toxic blocked block_reason_unspecified"
    " violation moderation",
    StopReason.REFUSAL: "refusal refused",
    StopReason.TOOL_CALLS: "tool_calls tool_call tool_use function_call",
    StopReason.MALFORMED: "malformed_function_call malformed_response malformed_model_output malformed_tool_use"
    " unexpected_tool_call too_many_tool_calls missing_thought_signature function_call_filter invalid_tool_call",
}
"""Providers' words in small letters, separated by blanks; any other word is a plain end."""
_BY_WORD = {word: reason for reason, words in _REASONS.items() for word in words.split()}

_BROKEN = frozenset(
    {"error", "network_error", "server_error", "engine_error", "abort", "aborted", "cancelled"}
    | {"insufficient_system_resource"}
)
"""Words for an answer without an end."""

_NOTE_BY_REASON = {
    StopReason.LENGTH: "The answer was cut off here: the model reached its limit of length. Ask it to go on.",
    StopReason.FILTER: "The answer was cut off here by the content filter of the model's provider.",
    StopReason.REFUSAL: "The model refused to answer further.",
    StopReason.MALFORMED: "The model ended this answer with a call of a tool that cannot be read.",
}
_MISSING = {
    StopReason.LENGTH: "The model reached its limit of length before the first word of its answer: all of it went into "
    "thinking or into a call that is cut off. Please ask for less at a time.",
    StopReason.FILTER: "The content filter of the model's provider blocked this answer. Please put it in other words; "
    "/new begins a new conversation.",
    StopReason.REFUSAL: "The model refused to answer this, without a reason. Please put it in other words; /new begins "
    "a new conversation.",
}
_EMPTY = "The model gave an empty answer, twice. Please try again, perhaps in other words."


def stop_reason(word: str) -> StopReason:
    """The reason for a provider's word."""
    return _BY_WORD.get(word.strip().lower().removeprefix("finish_reason_"), StopReason.STOP)


def is_broken_off(word: str) -> bool:
    """True if a provider's word says: the rest of the answer will not come."""
    return word.strip().lower() in _BROKEN


def with_note(text: str, reason: object) -> str:
    """An answer as people see it: with a line about an ending that the model did not choose.

    Args:
        text: The answer; a code block left open at the end is closed, or the line would be code.
        reason: Value of a `StopReason`; any other adds no line.
    """
    note = _NOTE_BY_REASON.get(StopReason(reason)) if reason in _VALUES else None
    if note is None or not text.strip():
        return text
    body = text.rstrip()
    fence = _open_fence(body)
    return f"{body}\n{fence}\n-# {note}" if fence else f"{body}\n-# {note}"


def missing_answer(completion: Completion) -> str:
    """Notice in the place of an answer without a word."""
    return _MISSING.get(completion.stop_reason, _EMPTY)


_VALUES = frozenset(reason.value for reason in StopReason)


def _open_fence(text: str) -> str:
    """Mark that closes the code block at the end of a text; empty outside of a block."""
    lines = text.split("\n")
    fences = CodeFences(lines)
    behind = 0
    for number in fences.marked_lines():
        if number < behind:
            continue
        last = fences.last_of(number)
        if last is None:
            mark = lines[number].strip()
            return mark[: len(mark) - len(mark.lstrip(mark[0]))]
        behind = last + 1
    return ""
