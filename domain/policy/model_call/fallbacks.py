"""Fallback models: order of models to ask for one answer, by known outages and by the turn so far."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.policy.retrying import Fault, FaultKind
from messages.model import ModelRequest

SHORT_S = 60.0
"""Time for which a model is skipped after a fault that may end soon."""
LONG_S = 600.0
"""Time for which a model is skipped after a fault to be fixed by an operator."""
_LONGEST_ASKED_S = 3_600.0
_KEPT_TURNS = 1_000
_PAUSE_BY_FAULT: Mapping[FaultKind, float] = {
    **dict.fromkeys(
        (
            FaultKind.RATE_LIMIT,
            FaultKind.SERVER,
            FaultKind.SLOW,
            FaultKind.IDLE_STREAM,
            FaultKind.UNREACHABLE,
            FaultKind.CUT_OFF,
            FaultKind.UNREADABLE,
            FaultKind.BEYOND_BOUND,
        ),
        SHORT_S,
    ),
    **dict.fromkeys((FaultKind.QUOTA, FaultKind.KEY, FaultKind.NOT_FOUND), LONG_S),
}
"""Faults of a model, a server or an account. A refusal of the content is no such fault and stands."""


def falls_back(fault: Fault) -> bool:
    """True if another model may answer after the fault."""
    return fault.kind in _PAUSE_BY_FAULT


@dataclass(frozen=True, slots=True)
class Abilities:
    """Abilities of a model, as far as listed."""

    calls_tools: bool = True
    sees_images: bool = False

    def lack(self, request: ModelRequest) -> str:
        """Reason not to ask the model, for a person; empty if the model can take the request."""
        if request.tools and not self.calls_tools:
            return "it cannot call tools"
        turn = request.messages[-request.turn_messages :] if request.turn_messages else request.messages
        if not self.sees_images and any(message.images for message in turn):
            return "it cannot see pictures"
        return ""


@dataclass(slots=True)
class Fallbacks:
    """Memory of outages, and of a turn's stand-in models."""

    names: Sequence[str] = ()
    """Possible stand-in models, in order."""
    _down: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Model -> end of the pause, and the reason."""
    _of_turn: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Turn -> stand-in model."""

    @property
    def down(self) -> tuple[str, ...]:
        """Models whose last answer was a fault."""
        return tuple(self._down)

    def order(self, model: str, run_id: str, now_s: float) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Models to ask one after the other, and the skipped models, each with the reason.

        Args:
            model: The wanted model.
            run_id: Turn; the turn's stand-in model goes on. Empty outside a turn.
            now_s: Time of the monotonic clock.
        """
        names = dict.fromkeys((model, *self.names))
        if (stand_in := self._of_turn.get(run_id, "")) in names:
            names = dict.fromkeys((stand_in, *names))
        passed = tuple((name, self._down[name][1]) for name in names if self._down.get(name, (now_s, ""))[0] > now_s)
        models = tuple(name for name in names if name not in dict(passed))
        return (models, passed) if models else (tuple(names), ())

    def note_fault(self, model: str, fault: Fault, reason: str, now_s: float) -> None:
        """Pass a model over for a while."""
        pause_s = max(_PAUSE_BY_FAULT[fault.kind], min(fault.asked_wait_s or 0.0, _LONGEST_ASKED_S))
        self._down[model] = (now_s + pause_s, reason)

    def note_answer(self, model: str, wanted: str, run_id: str) -> None:
        """Note an answer: the model works, and a stand-in goes on with the turn."""
        self._down.pop(model, None)
        if run_id and model != wanted:
            self._of_turn[run_id] = model
            if len(self._of_turn) > _KEPT_TURNS:
                self._of_turn.popitem(last=False)


def stand_in_words(model: str, wanted: str, reason: str) -> str:
    """Words for a person about an answer of a model other than the wanted model."""
    return f"`{model}` answers in place of `{wanted}`: {reason}"


def failure_words(failed: Sequence[tuple[str, str]]) -> str:
    """Reason for a missing answer: each model with a reason, unless there is only one model."""
    if len(failed) == 1:
        return failed[0][1]
    return "; ".join(f"`{name}`: {reason}" for name, reason in failed)
