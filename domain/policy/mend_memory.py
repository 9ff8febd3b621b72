"""Memory of mends: requests refused and accepted by servers, by model and by window, until a restart.

Facts of a model (the longest request, no pictures, alternating roles) hold for all windows, so the next window
does not pay again. Facts of a conversation (broken pictures, the place of a cut) hold for the conversation's window.
After unrecognised words, several mends are tried together, and the likeliest is remembered:
a mend of a part in the refused request and in no accepted request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from domain.policy.mending import Mended, has_empty, has_neighbours, mend_request, paths_in, tokens_of
from domain.policy.refusal import LEAST_LIMIT, Mend, Refusal, read_refusal
from domain.policy.retrying import REFUSED, Fault, FaultKind
from messages.base import Window
from messages.model import ModelRequest

_LOSSLESS = frozenset({Mend.ROLES, Mend.SYSTEM, Mend.EMPTY, Mend.CACHING, Mend.THOUGHTS, Mend.FILLED})
"""Mends that lose no content."""
_ONLY_PICTURES = frozenset({Mend.PICTURES})
_BY_LIKELIHOOD = (Mend.PICTURES, Mend.ROLES, Mend.EMPTY, Mend.HISTORY)
"""Mends after words that are not recognised: a picture is new more seldom than a request is longer than all before."""
_CRASH = 500
"""Status of a server that fails at unacceptable input, as some do at a picture (Azure/azureml-examples#3619)."""
_KEPT_WINDOWS = 500
"""Number of remembered windows; the window silent for the longest time is forgotten first."""
_MOST_FACTOR = 4.0

Server = tuple[str, str]
"""Name of the model, and address of the model's server."""
Conversation = tuple[Window, str, str, str]
"""Window, purpose, and server."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Length of requests, in tokens of the estimate."""

    most_tokens: int
    """Bound above which the history is cut before sending."""
    cut_to: int


@dataclass(slots=True)
class _Model:
    """Facts of one model."""

    mends: frozenset[Mend] = frozenset()
    bound: Bound | None = None
    most_pictures: int | None = None
    """Largest number of pictures in one request; None for no bound."""
    accepted_tokens: int = 0
    """Estimated size of the longest accepted request."""
    accepted: frozenset[Mend] = frozenset()
    """Mends omitted from an accepted request, although each would have changed the request."""


@dataclass(slots=True)
class _Talk:
    """State of a conversation with one model."""

    bound: Bound | None = None
    """Bound after words that did not name the length."""
    dropped: int = 0
    anchor: str = ""
    """Text of the first message kept by the last cut."""
    refused_pictures: frozenset[str] = frozenset()
    accepted_pictures: frozenset[str] = frozenset()
    """Of the last accepted request."""
    told_pictures: frozenset[str] = frozenset()
    """Pictures already reported to people as left out."""
    refused_tokens: int = 0
    """Estimated size of the last mended and still refused request; 0 after an accepted request."""
    factor: float = 0.0
    """Server's tokens per estimated token; 0 before the first answer."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request with the remembered mends."""

    request: ModelRequest
    """The same object if no mend applies."""
    left_out: str
    """Words for a person about content left out for the first time."""
    base: ModelRequest
    """The request after the remembered cut and before all other mends."""
    mends: frozenset[Mend] = frozenset()
    dropped: int = 0
    """Messages before the beginning of `base`."""
    pictures: frozenset[str] = frozenset()
    """Paths of the pictures left out."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Mended request, and the facts to remember if the server accepts the request."""

    mended: Mended
    left_out: str
    """Words for a person about all content left out for the first time."""
    dropped: int
    remembered: frozenset[Mend]
    bound: Bound
    is_known: bool
    """True if the server's words were recognised."""
    most_pictures: int | None = None


class MendMemory:
    """Mends by model and by conversation; a restart starts without any."""

    def __init__(self) -> None:
        """Start an empty memory."""
        self._talks: OrderedDict[Conversation, _Talk] = OrderedDict()
        self._models: dict[Server, _Model] = {}

    def prepare(self, model: str, request: ModelRequest) -> Prepared:
        """The request with the remembered mends."""
        facts = self._models.get((model, request.api_base))
        if facts is None:
            return Prepared(request, "", request)
        talk = self._talk(model, request)
        base, dropped, cut = _cut(facts, talk, request)
        paths = [path for path in paths_in(base) if path not in talk.refused_pictures]
        gone = talk.refused_pictures.intersection(paths_in(base)) | _beyond(paths, facts.most_pictures)
        mended = mend_request(base, facts.mends | _ONLY_PICTURES, 0, pictures=gone)
        left_out = [words for words in (cut, mended.left_out(talk.told_pictures)) if words]
        talk.told_pictures |= mended.pictures
        return Prepared(mended.request, " and ".join(left_out), base, mended.mends, dropped, mended.pictures)

    def plan(self, model: str, prepared: Prepared, fault: Fault) -> Plan | None:
        """Mended request; None without a possible change.

        Args:
            model: The called name.
            prepared: The refused request.
            fault: The refusal.
        """
        is_crash = fault.kind is FaultKind.SERVER and fault.status == _CRASH
        if fault.kind not in REFUSED and not is_crash:
            return None
        words = "" if is_crash else fault.words
        refusal = read_refusal(words, is_too_long=fault.kind is FaultKind.TOO_LONG)
        if refusal.is_final:
            return None
        facts, talk = self._model(model, prepared.request), self._talk(model, prepared.request)
        bound = _length_bound(talk, prepared.request, refusal)
        if refusal.mends:
            mends = set(refusal.mends)
            if refusal.is_of_bytes and paths_in(prepared.request) and not talk.refused_tokens:
                mends.discard(Mend.HISTORY)
            mended = _mend(prepared, mends, bound, _read_pictures(talk, prepared.request, refusal))
            if mended is not None:
                return _plan(talk, prepared, mended, frozenset(mends), bound, refusal)
        suspects = _suspects(facts, talk, prepared.request)
        if is_crash and not (suspects := suspects - {Mend.HISTORY}):
            return None
        is_hopeless = not is_crash and (bool(talk.refused_tokens) or not suspects)
        new = None if is_hopeless else frozenset(paths_in(prepared.request)) - talk.accepted_pictures
        mended = _mend(prepared, _BY_LIKELIHOOD if is_hopeless else suspects, bound, new)
        if mended is None:
            return None
        likely = [mend for mend in _BY_LIKELIHOOD if mend in mended.mends and mend in (suspects or _BY_LIKELIHOOD)]
        return _plan(talk, prepared, mended, frozenset(likely[:1]), bound, None)

    def learn(self, model: str, plan: Plan) -> None:
        """Remember the mends of an accepted request."""
        mended = plan.mended
        facts, talk = self._model(model, mended.request), self._talk(model, mended.request)
        facts.mends |= plan.remembered & _LOSSLESS
        talk.told_pictures |= mended.pictures
        if Mend.PICTURES in plan.remembered and plan.most_pictures is not None:
            facts.most_pictures = plan.most_pictures
        elif Mend.PICTURES in plan.remembered:
            talk.refused_pictures |= mended.pictures
        if Mend.HISTORY in plan.remembered:
            talk.bound = None if plan.is_known else plan.bound
            facts.bound = plan.bound if plan.is_known else facts.bound
            talk.dropped, talk.anchor = plan.dropped, mended.anchor

    def accept(self, model: str, request: ModelRequest, prompt_tokens: int) -> None:
        """Note an accepted request, and the server's count of tokens; 0 without a count."""
        facts, talk = self._model(model, request), self._talk(model, request)
        size = tokens_of(request)
        facts.accepted_tokens = max(facts.accepted_tokens, size)
        if Mend.ROLES not in facts.accepted and has_neighbours(request):
            facts.accepted |= {Mend.ROLES}
        if Mend.EMPTY not in facts.accepted and has_empty(request):
            facts.accepted |= {Mend.EMPTY}
        talk.accepted_pictures = frozenset(paths_in(request))
        talk.refused_tokens = 0
        if prompt_tokens:
            talk.factor = min(_MOST_FACTOR, prompt_tokens / size)

    def give_up(self, model: str, plan: Plan, fault: Fault) -> None:
        """Note the refusal of a mended request: the next request is cut further."""
        if fault.kind in REFUSED:
            self._talk(model, plan.mended.request).refused_tokens = tokens_of(plan.mended.request)

    def _model(self, model: str, request: ModelRequest) -> _Model:
        return self._models.setdefault((model, request.api_base), _Model())

    def _talk(self, model: str, request: ModelRequest) -> _Talk:
        key = (request.window, request.purpose, model, request.api_base)
        talk = self._talks.setdefault(key, _Talk())
        self._talks.move_to_end(key)
        if len(self._talks) > _KEPT_WINDOWS:
            self._talks.popitem(last=False)
        return talk


def _cut(facts: _Model, talk: _Talk, request: ModelRequest) -> tuple[ModelRequest, int, str]:
    """Request from the beginning of the last cut, or from a later message if the request is too long.

    Returns:
        The request, the number of messages before the beginning, and words for a person about a first cut.
    """
    bounds = [bound for bound in (facts.bound, talk.bound) if bound is not None]
    if not bounds:
        return request, 0, ""
    bound = min(bounds, key=lambda each: each.most_tokens)
    is_first = not talk.anchor
    if place := _place(talk, request):
        request = mend_request(request, (Mend.HISTORY,), bound.most_tokens, place).request
    if tokens_of(request) <= bound.most_tokens:
        return request, place, ""
    mended = mend_request(request, (Mend.HISTORY,), bound.cut_to)
    talk.dropped, talk.anchor = place + mended.dropped, mended.anchor
    return mended.request, talk.dropped, mended.cut if is_first else ""


def _mend(prepared: Prepared, mends: Iterable[Mend], bound: Bound, pictures: frozenset[str] | None) -> Mended | None:
    """Request with further mends; None if the mends have no effect."""
    gone = None if pictures is None else pictures | prepared.pictures
    mended = mend_request(prepared.base, prepared.mends | frozenset(mends), bound.cut_to, pictures=gone)
    return None if mended.request == prepared.request else mended


def _plan(
    talk: _Talk,
    prepared: Prepared,
    mended: Mended,
    mends: frozenset[Mend],
    bound: Bound,
    refusal: Refusal | None,
) -> Plan:
    """Plan for a request whose effective mends are remembered."""
    words = [words for words in (prepared.left_out, mended.left_out(talk.told_pictures)) if words]
    most_pictures = None if refusal is None else refusal.most_pictures
    dropped = prepared.dropped + mended.dropped
    remembered = mended.mends & mends
    return Plan(mended, " and ".join(words), dropped, remembered, bound, refusal is not None, most_pictures)


def _suspects(facts: _Model, talk: _Talk, request: ModelRequest) -> frozenset[Mend]:
    """Mends of parts in a request that no accepted request had."""
    suspects = set[Mend]()
    if not talk.accepted_pictures.issuperset(paths_in(request)):
        suspects.add(Mend.PICTURES)
    if Mend.ROLES not in facts.accepted and has_neighbours(request):
        suspects.add(Mend.ROLES)
    if Mend.EMPTY not in facts.accepted and has_empty(request):
        suspects.add(Mend.EMPTY)
    if tokens_of(request) > facts.accepted_tokens:
        suspects.add(Mend.HISTORY)
    return frozenset(suspects)


def _read_pictures(talk: _Talk, request: ModelRequest, refusal: Refusal) -> frozenset[str] | None:
    """Paths of the pictures meant by a refusal; None for all."""
    paths = paths_in(request)
    if refusal.most_pictures is not None:
        return _beyond(paths, refusal.most_pictures) or None
    new = frozenset(paths) - talk.accepted_pictures
    return None if talk.refused_tokens or refusal.is_of_bytes else new or None


def _beyond(paths: list[str], most: int | None) -> frozenset[str]:
    """All paths but the newest."""
    return frozenset[str]() if most is None else frozenset(paths[: max(0, len(paths) - most)])


def _length_bound(talk: _Talk, request: ModelRequest, refusal: Refusal) -> Bound:
    """Length of requests after a refusal."""
    size = tokens_of(request)
    most, cut_to = size * 9 // 10, size // 2
    if refusal.limit_tokens is not None:
        counted = refusal.counted_tokens or talk.factor * size or size
        factor = max(counted, refusal.limit_tokens) / size
        most, cut_to = (max(LEAST_LIMIT, int(refusal.limit_tokens * share / factor)) for share in (0.8, 0.5))
    if talk.refused_tokens:
        most, cut_to = min(most, talk.refused_tokens * 9 // 10), min(cut_to, talk.refused_tokens // 2)
    return Bound(most, cut_to)


def _place(talk: _Talk, request: ModelRequest) -> int:
    """Place of the first message after the last cut; 0 if missing: the conversation was cut elsewhere."""
    messages = request.messages
    nearby: Iterable[int] = (talk.dropped, *range(len(messages))) if talk.anchor else ()
    return next((place for place in nearby if place < len(messages) and messages[place].text == talk.anchor), 0)
