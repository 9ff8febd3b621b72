"""Memory of mends: the changes that made a window's or a model's refused requests acceptable, until a restart."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from domain.policy.mending import Mended, mend_request, tokens_of
from domain.policy.refusal import LEAST_LIMIT, Mend, read_refusal
from domain.policy.retrying import Fault, FaultKind
from messages.base import Window
from messages.model import ModelRequest

MENDABLE = frozenset({FaultKind.REJECTED, FaultKind.TOO_LONG})
"""Refusals for what the request holds."""
_OF_MODELS = frozenset({Mend.ROLES, Mend.SYSTEM})
"""Mends that are facts of a server; the others are facts of a conversation."""
_UNRECOGNISED = (Mend.PICTURES, Mend.ROLES, Mend.HISTORY, Mend.EMPTY)
_KEPT = 500
"""Windows that are remembered; the one that spoke longest ago is forgotten first."""

Server = tuple[str, str]
"""Name of the model, and address of its server."""
Conversation = tuple[Window, str, str, str]
"""Window, purpose, and server."""


@dataclass(slots=True)
class _Known:
    """State of one conversation with one model."""

    mends: frozenset[Mend] = frozenset()
    most_tokens: int = 0
    """Estimated size beyond which the history is cut before it is sent; 0 for no bound."""
    cut_to: int = 0
    dropped: int = 0
    anchor: str = ""
    """Text of the first message that the last cut kept."""
    tokens_per_char: float = 0.0
    """Of the last accepted request, as its server counted."""


@dataclass(slots=True)
class _Plan:
    """What is remembered if the mended request is accepted."""

    most_tokens: int = 0
    cut_to: int = 0
    mended: Mended | None = field(default=None)


class MendMemory:
    """Mends by model and by conversation; a model change or a restart starts without any."""

    def __init__(self) -> None:
        """Nothing is remembered yet."""
        self._known: OrderedDict[Conversation, _Known] = OrderedDict()
        self._of_models: dict[Server, frozenset[Mend]] = {}

    def prepare(self, model: str, request: ModelRequest) -> ModelRequest:
        """The request with the remembered mends; the same object where none is remembered."""
        known = self._known.get(_conversation(model, request))
        mends = self._of_models.get((model, request.api_base), frozenset())
        if known is None:
            return mend_request(request, mends, 0).request if mends else request
        if not mends and not known.mends:
            return request
        if known.most_tokens:
            request = self._cut(known, request)
        return mend_request(request, (mends | known.mends) - {Mend.HISTORY}, 0).request

    def plan(self, model: str, request: ModelRequest, fault: Fault) -> tuple[Mended, int, int] | None:
        """The mended request with the bound and the size of cuts to remember; None if nothing can be changed.

        Args:
            model: The name that was called.
            request: As it was refused.
            fault: The refusal.
        """
        if fault.kind not in MENDABLE:
            return None
        refusal = read_refusal(fault.words, is_too_long=fault.kind is FaultKind.TOO_LONG)
        if refusal.is_final:
            return None
        size = tokens_of(request)
        most, cut_to = size * 9 // 10, size // 2
        if refusal.limit_tokens is not None:
            factor = self._factor(model, request, size, refusal.limit_tokens, refusal.counted_tokens)
            most, cut_to = (max(LEAST_LIMIT, int(refusal.limit_tokens * share / factor)) for share in (0.8, 0.5))
        mended = mend_request(request, refusal.mends or _UNRECOGNISED, cut_to)
        if not mended.mends:  # the words name what the request does not hold
            mended = mend_request(request, _UNRECOGNISED, cut_to)
        return (mended, most, cut_to) if mended.mends else None

    def learn(self, model: str, mended: Mended, most_tokens: int, cut_to: int) -> None:
        """Remember the mends of a request that was accepted.

        Args:
            model: The name that was called.
            mended: The accepted request.
            most_tokens: As `plan` gave it.
            cut_to: As `plan` gave it.
        """
        request = mended.request
        server = (model, request.api_base)
        self._of_models[server] = self._of_models.get(server, frozenset()) | (mended.mends & _OF_MODELS)
        known = self._of(_conversation(model, request))
        known.mends |= mended.mends - _OF_MODELS
        if Mend.HISTORY in mended.mends:
            known.most_tokens, known.cut_to = most_tokens, cut_to
            known.dropped += mended.dropped
            known.anchor = request.messages[0].text if request.messages else ""

    def count(self, model: str, request: ModelRequest, prompt_tokens: int) -> None:
        """Take in how a server counted a request that it accepted."""
        if prompt_tokens:
            known = self._of(_conversation(model, request))
            known.tokens_per_char = prompt_tokens / max(1, _chars(request))

    def _cut(self, known: _Known, request: ModelRequest) -> ModelRequest:
        """The request from where the last cut began, or from a later message if it has grown too long since."""
        if place := _place(known, request):
            request = mend_request(request, (Mend.HISTORY,), known.most_tokens, place).request
        if tokens_of(request) > known.most_tokens:
            mended = mend_request(request, (Mend.HISTORY,), known.cut_to)
            known.dropped = place + mended.dropped
            known.anchor = mended.request.messages[0].text
            request = mended.request
        return request

    def _factor(self, model: str, request: ModelRequest, size: int, limit: int, counted: int | None) -> float:
        """Tokens as the server counts them to a token of the estimate."""
        known = self._known.get(_conversation(model, request))
        if counted is None and known is not None and known.tokens_per_char:
            counted = int(known.tokens_per_char * _chars(request))
        return max(counted or size, limit) / size

    def _of(self, key: Conversation) -> _Known:
        known = self._known.setdefault(key, _Known())
        self._known.move_to_end(key)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known


def _conversation(model: str, request: ModelRequest) -> Conversation:
    return request.window, request.purpose, model, request.api_base


def _chars(request: ModelRequest) -> int:
    return len(request.system_prompt) + sum(len(message.text) for message in request.messages)


def _place(known: _Known, request: ModelRequest) -> int:
    """Place of the message that the last cut began with; 0 if it is gone: the conversation was cut elsewhere."""
    messages = request.messages
    nearby: tuple[int, ...] = (known.dropped, *range(len(messages))) if known.anchor else ()
    for place in nearby:
        if place < len(messages) and messages[place].text and known.anchor.endswith(messages[place].text):
            return place
    return 0
