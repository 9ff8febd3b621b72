"""State of the actor that forgets, beyond one life: previews awaiting confirmation, and waiting requesters."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from actors.forget.journal import Entry
from domain.policy.forgetting.rights import Asker
from messages.base import RequestId
from messages.forget import CarryOutForget

MOST_PREVIEWS = 200
PREVIEW_S = 15 * 60.0
"""Life of a preview; Discord's buttons below an answer live as long."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Request awaiting its confirmation; holds no words."""

    entry: Entry
    """Entry for the journal; reason and time are set by the confirmation."""
    asker: Asker
    until_s: float
    """Monotonic time at the end of the preview's validity."""


@dataclass(slots=True)
class RequestState:
    """Requests in hand, whatever becomes of the actor."""

    previews: OrderedDict[str, Preview] = field(default_factory=OrderedDict)
    """By their ids, oldest first."""
    askers: dict[str, dict[RequestId, CarryOutForget]] = field(default_factory=dict)
    """Forget id -> confirmations that wait for an answer."""

    def keep(self, preview: Preview) -> None:
        """Note a preview; of too many the oldest goes."""
        self.previews[preview.entry.forget_id] = preview
        while len(self.previews) > MOST_PREVIEWS:
            self.previews.popitem(last=False)

    def await_end(self, forget_id: str, message: CarryOutForget) -> None:
        """Note a requester that waits for the end of a request."""
        self.askers.setdefault(forget_id, {})[message.request_id] = message
