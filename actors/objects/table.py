"""Settings table of objects, `[objects]`."""

from __future__ import annotations

from pydantic import Field

from actors.part import Table, Whole


class ObjectsTable(Table):
    """`[objects]`: how much of files and outputs requests show, and how much of them is kept."""

    keep_results: Whole = Field(default=5, ge=1, le=1_000)
    """Outputs of one turn whose text is shown, the newest."""
    keep_turns: Whole = Field(default=3, ge=1, le=1_000)
    """Turns whose outputs are shown, the newest one counted."""
    active_tokens: Whole = Field(default=30_000, ge=0, le=1_000_000)
    """Of files, and of outputs of earlier turns, together; never more than 3/10 of `model.max_history_tokens`."""
    pinned_tokens: Whole = Field(default=20_000, ge=0, le=1_000_000)
    """Of what is pinned; never more than 2/10 of `model.max_history_tokens`."""
    linger_tokens: Whole = Field(default=15_000, ge=0, le=1_000_000)
    """Of what is to go: so much may gather first; 0 for at once. Never more than 3/20 of `model.max_history_tokens`."""
    big_tokens: Whole = Field(default=2_000, ge=0, le=1_000_000)
    """Outputs that are longer go with their turn; 0 for no such rule."""
    max_files: Whole = Field(default=5_000, ge=1, le=1_000_000)
    """Known files of one window."""
    window_mib: Whole = Field(default=64, ge=1, le=100_000)
    """Of the texts that are kept of one window, as they are stored."""
    total_mib: Whole = Field(default=512, ge=1, le=1_000_000)
    """Of those of all windows."""
