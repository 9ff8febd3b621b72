"""Actor spec: the kernel's knowledge of a kind of actor, needed before starting an actor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from domain.policy.restarts import RestartPolicy

if TYPE_CHECKING:
    from actors.kernel.actor import Actor


@dataclass(frozen=True, slots=True)
class ActorSpec:
    """A kind of actor: builder and lifetime.

    A core actor is started with the system, has the empty key, and ends the process when giving up. Any other actor is
    activated by its first message or, if eager, after the core actors. Such an actor may leave memory when idle, and
    rests for a while after too many crashes.
    """

    kind: str
    build: Callable[[str], Actor]
    """Gives a new actor for a key; called in a worker thread at every (re)start."""
    core: bool = False
    idle_s: float | None = None
    """Seconds without a message after which the actor is passivated; None for never."""
    most_idle: int | None = None
    """Idle actors of the kind allowed in memory: beyond, the least recently used leave before `idle_s`."""
    policy: RestartPolicy = field(default_factory=RestartPolicy)
    is_eager: bool = False
    """True if an actor that is not core, with the empty key, is started with the system all the same."""
    is_slow_to_start: bool = False
    """True for a core actor that may take seconds: the others start meanwhile, and messages to the actor wait."""
    starts_last: bool = False
    """True for a core actor that lets work in, and so starts once all others have, slow ones too."""
    is_made_up_for: bool = False
    """True if a later life makes up for all unfinished work of this life, so an end need not wait."""

    def __post_init__(self) -> None:
        """Refuse a spec that the kernel could not run."""
        if not self.kind or "/" in self.kind:
            raise ValueError(f"kind {self.kind!r} must be a word without '/'")
        if self.core and self.idle_s is not None:
            raise ValueError(f"kind {self.kind!r}: a core actor is never passivated, so idle_s must be None")
        if self.idle_s is not None and self.idle_s <= 0:
            raise ValueError(f"kind {self.kind!r}: idle_s {self.idle_s} must be > 0")
        if self.most_idle is not None and (self.idle_s is None or self.most_idle < 0):
            raise ValueError(f"kind {self.kind!r}: most_idle {self.most_idle} must be >= 0, and needs an idle_s")
