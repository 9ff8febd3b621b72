"""State of the actor that forgets, beyond one life: previews that wait for a confirmation."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from actors.forget.journal import Entry
from messages.base import UserId

MOST_PREVIEWS = 200
PREVIEW_S = 15 * 60.0
"""Life of a preview; Discord's buttons below an answer live as long."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Request that waits for its confirmation; holds no words."""

    entry: Entry
    """Entry for the journal; its reason and its time are those of the confirmation."""
    asked_by: UserId
    until_s: float
    """Monotonic time at which the preview is void."""


@dataclass(slots=True)
class Previews:
    """Previews by their ids, oldest first."""

    waiting: OrderedDict[str, Preview] = field(default_factory=OrderedDict)

    def keep(self, preview: Preview) -> None:
        """Note a preview; of too many the oldest goes."""
        self.waiting[preview.entry.forget_id] = preview
        while len(self.waiting) > MOST_PREVIEWS:
            self.waiting.popitem(last=False)
