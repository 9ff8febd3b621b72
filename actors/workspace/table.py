"""Settings table of workspaces, `[workspace]`."""

from __future__ import annotations

from pydantic import Field

from actors.part import Flag, OptionalName, Table, Whole


class WorkspaceTable(Table):
    """`[workspace]`: uses of a window's files of working state; with all off, a prompt only names the files."""

    recall: Flag = False
    """True to show recalled entries with a message."""
    session: Flag = False
    """True to keep the state of the work in SESSION.md; requires `llm`."""
    compaction: Flag = False
    """True to cut a history only after the state of the work was handed over."""
    subagents: Flag = False
    """True if commands may start sub-agents."""
    llm: Flag = False
    """True to have a model keep the files."""
    model: OptionalName = ""
    """Name of the model; empty for the answering model."""
    recall_chars: Whole = Field(default=2_000, ge=200, le=20_000)
    """Most characters of the block shown with a message."""
    handover_chars: Whole = Field(default=12_000, ge=500, le=20_000)
    """Most characters of the handover at the head of a cut history."""
