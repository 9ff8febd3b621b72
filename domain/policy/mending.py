"""Mending of a refused request: parts to leave out, and the wording; the log never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from domain.policy.model_call.thoughts_back import without_thoughts
from domain.policy.refusal import Mend
from domain.text.answer.correction import is_correction
from domain.text.token_estimate import CHARS_PER_TOKEN, PICTURE_CHARS, tokens_of_text
from domain.text.wish import find_wish
from messages.model import ChatMessage, ModelRequest, Role

PICTURE_LEFT_OUT = "[picture left out: the model's server refused it]"
EMPTY = "[empty]"
BETWEEN = "[more was said before the answer]"
"""Stands between a result of a command and a user's message, where roles must alternate."""
_LEAST_RESULT_CHARS = 400
_SHORTENED = "\n[… shortened: the model's server takes no more …]\n"


@dataclass(frozen=True, slots=True)
class Mended:
    """Changed request."""

    request: ModelRequest
    mends: frozenset[Mend]
    """Effective changes."""
    cut: str = ""
    """Words for a person about the cut of the history."""
    dropped: int = 0
    """Number of messages cut from the beginning."""
    anchor: str = ""
    """Text of the first message after the cut, as in the conversation."""
    pictures: frozenset[str] = frozenset()
    """Paths of the pictures left out."""

    def left_out(self, reported: frozenset[str] = frozenset()) -> str:
        """Words for a person about all omissions, except pictures in `reported`."""
        count = len(self.pictures - reported)
        return " and ".join([words for words in (self.cut, _count_words(count, "picture") if count else "") if words])


def tokens_of_message(message: ChatMessage) -> int:
    """Estimate of a message's tokens, with calls and pictures."""
    calls = sum(tokens_of_text(call.arguments_json) + 8 for call in message.tool_calls)
    return tokens_of_text(message.text) + calls + PICTURE_CHARS // CHARS_PER_TOKEN * len(message.images) + 4


def tokens_besides(request: ModelRequest) -> int:
    """Estimate of the tokens of all but the messages."""
    tools = sum(tokens_of_text(tool.parameters_json + tool.description) for tool in request.tools)
    return tokens_of_text(request.system_prompt) + tools


def tokens_of(request: ModelRequest) -> int:
    """Estimate of a request's tokens."""
    return tokens_besides(request) + sum(map(tokens_of_message, request.messages))


def mend_request(
    request: ModelRequest,
    mends: Iterable[Mend],
    most_tokens: int,
    first: int | None = None,
    pictures: frozenset[str] | None = None,
) -> Mended:
    """Change a request by the effective ones of `mends`.

    Args:
        request: The last user message is kept whole and no call loses a result, whatever is cut.
        mends: In no order.
        most_tokens: Estimated size to cut to.
        first: Place of the message to begin with; None to choose by `most_tokens`.
        pictures: Paths of the pictures to leave out; None for all.
    """
    mends_to_apply, applied, words, dropped, anchor = frozenset(mends), set[Mend](), list[str](), 0, ""
    if Mend.HISTORY in mends_to_apply:
        dropped = first_kept(request, most_tokens) if first is None else first
        shortened = _with_messages(request, _shorten_results(request, dropped, most_tokens))
        if dropped:
            words.append(_count_words(dropped, "oldest message"))
        if shortened.messages != request.messages[dropped:]:
            words.append("parts of long command results")
        if shortened.messages != request.messages:
            applied.add(Mend.HISTORY)
        request = shortened
        anchor = request.messages[0].text if request.messages else ""
    gone = frozenset(path for path in paths_in(request) if pictures is None or path in pictures)
    steps: tuple[tuple[Mend, Callable[[ModelRequest], ModelRequest]], ...] = (
        (Mend.PICTURES, lambda request: _without_pictures(request, gone)),
        (Mend.SYSTEM, _without_system),
        (Mend.EMPTY, _without_empty),
        (Mend.ROLES, _merge_neighbours),
        (Mend.CACHING, _without_caching),
        (Mend.THOUGHTS, without_thoughts),
        (Mend.FILLED, _fill_thoughts),
    )
    for mend, change in steps:
        changed = change(request) if mend in mends_to_apply else request
        if changed is not request:
            applied.add(mend)
            request = changed
    left_out = gone if Mend.PICTURES in applied else frozenset[str]()
    return Mended(request, frozenset(applied), " and ".join(words), dropped, anchor, left_out)


def paths_in(request: ModelRequest) -> list[str]:
    """Paths of a request's pictures, the oldest first."""
    return [image.path for message in request.messages for image in message.images]


def has_neighbours(request: ModelRequest) -> bool:
    """True if a request has neighbours of one role, or a user's message behind a result."""
    return _merge_neighbours(request) is not request


def has_empty(request: ModelRequest) -> bool:
    """True if a message has neither text nor calls."""
    return _without_empty(request) is not request


def first_kept(request: ModelRequest, most_tokens: int) -> int:
    """Place of the first message after a cut to `most_tokens`, at the latest the user's last message."""
    places = _boundaries(request.messages)
    total = tokens_besides(request)
    sizes = [tokens_of_message(message) for message in request.messages]
    best = places[-1] if places else 0
    total += sum(sizes[best:])
    for place in reversed(places[:-1]):
        total += sum(sizes[place:best])
        if total > most_tokens:
            break
        best = place
    return best


def _boundaries(messages: tuple[ChatMessage, ...]) -> list[int]:
    """Possible beginnings of a history: users' messages, except answers to a wish or a slip of the model's."""
    return [
        place
        for place, message in enumerate(messages)
        if message.role is Role.USER
        and not is_correction(message.text)
        and not (place and _is_find_wish(messages[place - 1]))
    ]


def _is_find_wish(message: ChatMessage) -> bool:
    return message.role is Role.ASSISTANT and find_wish(message.text) is not None


def _shorten_results(request: ModelRequest, first: int, most_tokens: int) -> tuple[ChatMessage, ...]:
    """Messages from `first`, with long results of commands shortened if the total is still too much."""
    messages = request.messages[first:]
    results = [message for message in messages if message.role is Role.TOOL]
    total = tokens_besides(request) + sum(map(tokens_of_message, messages))
    if total <= most_tokens or not results:
        return messages
    room = most_tokens - (total - sum(map(tokens_of_message, results)))
    most = max(_LEAST_RESULT_CHARS, 2 * room // len(results))
    return tuple(_cut_middle(message, most) if message.role is Role.TOOL else message for message in messages)


def _cut_middle(message: ChatMessage, most: int) -> ChatMessage:
    if len(message.text) <= most + len(_SHORTENED):
        return message
    half = most // 2
    return msgspec.structs.replace(message, text=message.text[:half] + _SHORTENED + message.text[-half:])


def _without_pictures(request: ModelRequest, gone: frozenset[str]) -> ModelRequest:
    if gone.isdisjoint(paths_in(request)):
        return request
    return _with_messages(request, (_without_picture(message, gone) for message in request.messages))


def _without_picture(message: ChatMessage, gone: frozenset[str]) -> ChatMessage:
    images = tuple(image for image in message.images if image.path not in gone)
    if len(images) == len(message.images):
        return message
    lines = [line for line in (message.text, *[PICTURE_LEFT_OUT] * (len(message.images) - len(images))) if line]
    return msgspec.structs.replace(message, text="\n".join(lines), images=images)


def _without_system(request: ModelRequest) -> ModelRequest:
    """The system prompt in front of the first user message."""
    messages = list(request.messages)
    if not request.system_prompt or not messages:
        return request
    if messages[0].role is Role.USER:
        messages[0] = msgspec.structs.replace(messages[0], text=f"{request.system_prompt}\n\n{messages[0].text}")
    else:
        messages.insert(0, ChatMessage(role=Role.USER, text=request.system_prompt))
    return msgspec.structs.replace(request, system_prompt="", messages=tuple(messages))


def _without_caching(request: ModelRequest) -> ModelRequest:
    return msgspec.structs.replace(request, asks_cache=False) if request.asks_cache else request


def _fill_thoughts(request: ModelRequest) -> ModelRequest:
    if request.fills_thoughts or not any(message.tool_calls for message in request.messages):
        return request
    return msgspec.structs.replace(request, fills_thoughts=True)


def _without_empty(request: ModelRequest) -> ModelRequest:
    if all(message.text.strip() or message.tool_calls for message in request.messages):
        return request
    return _with_messages(
        request,
        (m if m.text.strip() or m.tool_calls else msgspec.structs.replace(m, text=EMPTY) for m in request.messages),
    )


def _merge_neighbours(request: ModelRequest) -> ModelRequest:
    """Neighbours of one role as one message, and a word between a result and a user's message.

    Templates with strictly alternating users and assistant skip calls and results (charmbracelet/crush#279).
    """
    merged: list[ChatMessage] = []
    is_changed = False
    for message in request.messages:
        if merged and _fit(merged[-1], message):
            before, is_changed = merged.pop(), True
            text = "\n\n".join([text for text in (before.text, message.text) if text])
            merged.append(msgspec.structs.replace(message, text=text, images=before.images + message.images))
        else:
            if merged and merged[-1].role is Role.TOOL and message.role is Role.USER:
                merged.append(ChatMessage(role=Role.ASSISTANT, text=BETWEEN))
                is_changed = True
            merged.append(message)
    return _with_messages(request, merged) if is_changed else request


def _fit(before: ChatMessage, message: ChatMessage) -> bool:
    return before.role is message.role and before.role is not Role.TOOL and not before.tool_calls


def _with_messages(request: ModelRequest, messages: Iterable[ChatMessage]) -> ModelRequest:
    return msgspec.structs.replace(request, messages=tuple(messages))


def _count_words(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
