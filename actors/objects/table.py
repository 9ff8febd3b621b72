"""Settings table of objects, `[objects]`."""

from __future__ import annotations

from pydantic import Field

from actors.part import Table, Whole


class ObjectsTable(Table):
    """`[objects]`: the share of files and outputs shown in requests, and the share kept."""

    keep_results: Whole = Field(default=5, ge=1, le=1_000)
    """Number of newest outputs of a turn shown with text."""
    keep_turns: Whole = Field(default=3, ge=1, le=1_000)
    """Number of turns whose outputs are shown, including the newest turn."""
    active_tokens: Whole = Field(default=30_000, ge=0, le=1_000_000)
    """Of files, and of outputs of earlier turns, together; never more than 3/10 of `model.max_history_tokens`."""
    pinned_tokens: Whole = Field(default=20_000, ge=0, le=1_000_000)
    """Most tokens of pinned objects; never more than 2/10 of `model.max_history_tokens`."""
    linger_tokens: Whole = Field(default=15_000, ge=0, le=1_000_000)
    """Tokens of departing objects allowed to gather before removal; 0 to remove at once.
    Never more than 3/20 of `model.max_history_tokens`."""
    big_tokens: Whole = Field(default=2_000, ge=0, le=1_000_000)
    """Size in tokens above which outputs go with their turn; 0 for no limit."""
    max_files: Whole = Field(default=5_000, ge=1, le=1_000_000)
    """Most known files of a window."""
    window_mib: Whole = Field(default=64, ge=1, le=100_000)
    """MiB of kept texts of a window, as stored."""
    total_mib: Whole = Field(default=512, ge=1, le=1_000_000)
    """MiB of kept texts of all windows."""
