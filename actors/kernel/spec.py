"""Actor spec: what the kernel must know of a kind of actor before it can start one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from domain.policy.restarts import RestartPolicy

if TYPE_CHECKING:
    from actors.kernel.actor import Actor


@dataclass(frozen=True, slots=True)
class ActorSpec:
    """One kind of actor: builder and lifetime.

    A core actor is started with the system, has the empty key, and ends the process when it gives up. Any other actor
    is activated by its first message or, where it is eager, behind the core ones; it may leave memory when
    idle, and rests for a while when it crashes too often.
    """

    kind: str
    build: Callable[[str], Actor]
    """Gives a new actor for a key; called in a worker thread at every (re)start."""
    core: bool = False
    idle_s: float | None = None
    """Seconds without a message after which the actor is passivated; None for never."""
    most_idle: int | None = None
    """Idle actors of the kind that may be in memory: of more, those used longest ago leave before `idle_s`."""
    policy: RestartPolicy = field(default_factory=RestartPolicy)
    is_eager: bool = False
    """True if an actor that is not core, with the empty key, is started with the system all the same."""
    is_made_up_for: bool = False
    """True if a later life makes up for all unfinished work of this life, so that an end need not wait for it."""

    def __post_init__(self) -> None:
        """Refuse what the kernel could not run."""
        if not self.kind or "/" in self.kind:
            raise ValueError(f"kind {self.kind!r} must be a word without '/'")
        if self.core and self.idle_s is not None:
            raise ValueError(f"kind {self.kind!r}: a core actor is never passivated, so idle_s must be None")
        if self.idle_s is not None and self.idle_s <= 0:
            raise ValueError(f"kind {self.kind!r}: idle_s {self.idle_s} must be > 0")
        if self.most_idle is not None and (self.idle_s is None or self.most_idle < 0):
            raise ValueError(f"kind {self.kind!r}: most_idle {self.most_idle} must be >= 0, and needs an idle_s")
