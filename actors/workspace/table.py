"""Settings table of workspaces, `[workspace]`."""

from __future__ import annotations

from pydantic import Field

from actors.part import Flag, OptionalName, Table, Whole


class WorkspaceTable(Table):
    """`[workspace]`: what is made of a window's files of working state; with all off, only where they are is said."""

    recall: Flag = False
    """Whether what belongs to a message is shown with it."""
    session: Flag = False
    """Whether the state of the work is kept in SESSION.md, which takes `llm`."""
    compaction: Flag = False
    """Whether a history is cut only after the state of the work was handed over; not beside `layers.objects`."""
    subagents: Flag = False
    """Whether commands may start sub-agents."""
    llm: Flag = False
    """Whether a model is asked to keep the files."""
    model: OptionalName = ""
    """Which one; empty for the one that answers."""
    recall_chars: Whole = Field(default=2_000, ge=200, le=20_000)
    """Of what is shown with a message."""
    handover_chars: Whole = Field(default=4_000, ge=500, le=20_000)
    """Of what stands at the head of a history that was cut."""
