"""Configuration of workspaces: the same for all windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from actors.edited_file.rewriting import Waits
from actors.linux.disk import Disk
from domain.text.secret_look import looks_secret
from domain.text.secret_scrub import Scrubber
from messages.base import Address, Window
from messages.model import MODEL

FOLDER = "workspace"
CHANNELS = "channels"
AGENT = ".agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceConfig:
    """The operator's decisions, and the addresses to ask."""

    root: Path
    """People's folder, around the windows' folders; absolute."""
    lives: bool
    """True if files are kept; a command line's single turn only reads the users' shared files."""
    recall: bool = False
    session: bool = False
    compaction: bool = False
    subagents: bool = False
    llm: bool = False
    can_run: bool = True
    """True if commands are run here."""
    model_name: str = ""
    recall_chars: int = 2_000
    handover_chars: int = 12_000
    secrets: frozenset[str] = frozenset()
    """The agent's own."""
    model: Address = MODEL
    waits: Waits = field(default_factory=Waits)
    disk: Disk | None = None
    gate_s: float = 60.0
    """Longest wait for workers before a cut."""
    worker_s: float = 30.0
    """Longest wait for a worker."""

    def folder_of(self, window: Window) -> Path:
        """Folder of a window.

        Raises:
            ValueError: the window's name cannot name a folder.
        """
        if window.id in ("", ".", "..") or "/" in window.id or "\0" in window.id:
            raise ValueError(f"window {window.id!r}: must be the name of a folder")
        return self.root / CHANNELS / window.surface.value / window.id

    @property
    def keeps_session(self) -> bool:
        """True if a model keeps SESSION.md."""
        return self.llm and self.session

    @property
    def keeps_history(self) -> bool:
        """True if a model keeps HISTORY.md, before cuts."""
        return self.llm and self.compaction

    @property
    def is_secret(self) -> Callable[[str], bool]:
        """Predicate for secrets: the agent's own in any disguise, or text that looks like a secret."""
        own = Scrubber(self.secrets)
        return lambda text: (
            looks_secret(text) or own.finds(text) or any(secret in text for secret in self.secrets if secret)
        )
