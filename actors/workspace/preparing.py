"""Preparation of a turn: a block of the hooks' output and recalled entries; context for sub-agents' runs."""

from __future__ import annotations

from collections.abc import Callable

from actors.kernel import Host
from actors.workspace.channel import HISTORY, MEMORY, SESSION, Channel
from actors.workspace.config import WorkspaceConfig
from actors.workspace.recalling import Recall
from actors.workspace.skills.hooks import HookOutput, Hooks, HookTurn
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.runs import ContextWish, CurrentTurn
from domain.workspace.files.session_state import parsed_session
from domain.workspace.handover import handover
from domain.workspace.recall.entries import Entry
from domain.workspace.recall.turn_block import turn_block
from domain.workspace.skills.hook import Fact
from domain.workspace.skills.life import BEFORE_PROMPT, named_for, scopes_of
from messages.base import TurnId
from messages.shell import SharedFolder
from messages.turn import PrepareCompaction, PrepareTurn

CHILD_SESSION_CHARS = 1_500
CHILD_RECALL_CHARS = 1_000


class Preparing:
    """Maker of the block of each turn."""

    def __init__(
        self,
        host: Host,
        config: WorkspaceConfig,
        *,
        channel: Channel,
        hooks: Hooks,
        lives: SkillLives | None,
    ) -> None:
        """No turn is prepared yet.

        Args:
            host: The actor.
            config: The operator's decisions.
            channel: Reads the files.
            hooks: Run beside turns.
            lives: Declarations of skills; None where skills are not looked for.
        """
        self._host = host
        self._config = config
        self._channel = channel
        self._hooks = hooks
        self._lives = lives
        self._recall = Recall(channel, has_own=config.lives)
        self._turn: PrepareTurn | None = None
        self._active: tuple[bytes, tuple[str, ...]] | None = None
        """Last parsed SESSION.md, and the files named there."""

    def begin(self, turn: PrepareTurn, done: Callable[[PrepareTurn, str], None]) -> None:
        """Make the block of a turn, and pass it to `done`: at once, or when hooks have ended.

        The wait is bounded by the hooks' own limit; a newer turn's request comes first.
        """
        self._turn = turn
        if self._config.lives and not self._config.recall:
            self._channel.ensure()  # otherwise those that are missing are made where they are read

        def take_outputs(outputs: tuple[HookOutput, ...]) -> None:
            done(turn, self._block(turn, outputs))

        facts: dict[str, Fact] = {"question": turn.text, "author": turn.author_name}
        if not self.hook(BEFORE_PROMPT, facts, take_outputs):
            take_outputs(())

    def hook(
        self,
        event: str,
        facts: dict[str, Fact],
        done: Callable[[tuple[HookOutput, ...]], None] = lambda _outputs: None,
        *,
        cut: PrepareCompaction | None = None,
    ) -> bool:
        """Run the hooks for an event; True if any run. Hooks of a turn without commands do not run.

        Args:
            event: Name of the event.
            facts: Facts about the event, for the hooks.
            done: Called with the hooks' output.
            cut: Cut on whose behalf hooks run, if not on that of the prepared turn.
        """
        turn = self._turn
        if turn is None or self._lives is None or not self._config.can_run or not (cut or turn).may_run:
            return False
        if not self._hooks.are_for(event):
            return False
        files = {name: str(self._channel.folder / name) for name in (SESSION, MEMORY, HISTORY)}
        who = HookTurn(TurnId(turn.turn_id), (cut or turn).audience, self._channel.shared_folders())
        with self._host.blocking():
            if self._config.lives:
                self._channel.ensure()
            return self._hooks.begin(event, {**facts, "files": files}, who, done)

    @property
    def folders(self) -> tuple[SharedFolder, ...]:
        """Folders that the turn's commands may see."""
        may_run = self._turn is None or self._turn.may_run
        return self._channel.shared_folders() if self._config.can_run and may_run else ()

    @property
    def current(self) -> CurrentTurn:
        """Facts of the present turn for sub-agents' runs."""
        if self._turn is None:  # a command asks, so one may be run; its turn began before this actor did
            return CurrentTurn(folders=self.folders)
        turn = self._turn
        return CurrentTurn(turn_id=turn.turn_id, audience=turn.audience, folders=self.folders, may_run=turn.may_run)

    def context(self, wish: ContextWish) -> str:
        """Context of the parent's work for a sub-agent: the state of the work, and recalled entries for the task."""
        session = parsed_session(self._channel.read(SESSION))
        parts = [handover(session, b"", (), CHILD_SESSION_CHARS)]
        if wish.wants_recall:
            question = " ".join((wish.task, wish.description, *wish.paths))
            entries = self._recall.find(question, self._host.now().date(), CHILD_RECALL_CHARS)
            parts.append(turn_block(entries, CHILD_RECALL_CHARS))
        return "\n\n".join(part for part in parts if part)

    def _active_files(self) -> tuple[str, ...]:
        """Files named in SESSION.md, parsed once for each change."""
        data = self._channel.read(SESSION) if self._config.lives else b""
        if self._active is None or self._active[0] is not data:
            self._active = data, parsed_session(data).active_files
        return self._active[1]

    def _block(self, turn: PrepareTurn, outputs: tuple[HookOutput, ...]) -> str:
        names = tuple[str, ...]()
        favoured = frozenset[str]()
        if self._lives is not None:
            lives = self._lives.look(self._host).lives
            names = named_for(turn.text, self._active_files() if any(life.paths for life in lives) else (), lives)
            favoured = frozenset(scopes_of(names, lives))
        entries: tuple[Entry, ...] = ()
        if self._config.recall:
            entries = self._recall.find(turn.text, self._host.now().date(), self._config.recall_chars, favoured)
            self._recall.note(turn.text)
        texts = tuple((output.skill, output.text) for output in outputs)
        return turn_block(entries, self._config.recall_chars, names, texts)
