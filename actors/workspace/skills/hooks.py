"""Hooks: scripts of the operator's skills that run beside turns, in the sandbox and for a limited time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from actors.kernel import Host
from actors.workspace.skills.lives import SkillLives
from domain.workspace.skills.hook import Fact, command, counted_output, input_json, limit_s
from domain.workspace.skills.life import BEFORE_COMPACT, BEFORE_PROMPT, SkillLife
from messages.base import RequestId, TurnId, Window
from messages.shell import SHELL, BashOutcome, BashRefused, BashResult, CancelBash, RunBash, SharedFolder

PATIENCE_S = 60.0
"""Extra seconds for a hook without a waiting turn: other hooks may run before it."""
MOST_IN_LANE = 8
"""Most runs of a hook, including the running script; beyond, the runs that have waited longest are left out."""


@dataclass(frozen=True, slots=True)
class HookTurn:
    """Turn on whose behalf hooks run, and folders visible to the hooks."""

    turn_id: TurnId
    """Id of the turn; empty for an event outside a turn."""
    audience: str = ""
    folders: tuple[SharedFolder, ...] = ()


@dataclass(frozen=True, slots=True)
class HookOutput:
    """Output of a hook."""

    skill: str
    text: str
    """Defused, at most 1,000 characters, never empty."""


OnDone = Callable[[tuple[HookOutput, ...]], None]


@dataclass(slots=True)
class _Round:
    """Hooks of an event."""

    event: str
    on_done: OnDone
    waiting: int
    texts: dict[str, str] = field(default_factory=dict)
    """Skill -> counted output, in the skills' order."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Running script."""

    round: _Round
    skill: str
    lane: str
    overdue_s: float
    """Seconds after which the run is given up."""


class _UnusableError(Exception):
    """Script that is not run; the text gives the reason."""


class Hooks:
    """Hooks of a window; the actor passes messages on.

    The runs of a hook follow one another in a lane of the shell, with a time limit from the start of a script.
    """

    def __init__(self, host: Host, window: Window, lives: SkillLives, *, patience: float = 1.0) -> None:
        """Begin without a run.

        Args:
            host: The actor.
            window: Window on whose behalf hooks run.
            lives: Declarations of skills.
            patience: Factor of all limits, for machines with a slow start of bash.
        """
        self._host = host
        self._window = window
        self._lives = lives
        self._patience = patience
        self._runs: dict[RequestId, _Run] = {}

    @property
    def are_running(self) -> bool:
        """True while a script runs, so the actor is not passivated."""
        return bool(self._runs)

    def are_for(self, event: str) -> bool:
        """True if any skill has a hook for `event`."""
        return any(life.script_at(event) for life in self._lives.look(self._host).lives)

    def begin(self, event: str, facts: Mapping[str, Fact], turn: HookTurn, on_done: OnDone) -> bool:
        """Run every skill's hook for `event`, all at once; a failing hook is noted and delays no other.

        Args:
            event: One of `domain.workspace.skills.life.EVENTS`.
            facts: Facts for the hooks besides the event, the window and the turn.
            turn: Turn on whose behalf hooks run; the caller ensures that commands may be run for the turn.
            on_done: Called once with the output of `before_prompt` hooks.

        Returns:
            True if there is a run to wait for; otherwise `on_done` is not called.
        """
        scripts = self._scripts(event)
        round_ = _Round(event, on_done, len(scripts))
        for life, path, is_executable in scripts:
            round_.texts[life.name] = ""
            self._run(
                round_, life, command(path, self._input(round_, life, facts, turn), is_executable=is_executable), turn
            )
        return bool(scripts)

    def cancel(self) -> None:
        """End all running scripts, without a report."""
        for request_id in self._runs:
            self._cancel(request_id)
        self._runs.clear()

    def _scripts(self, event: str) -> list[tuple[SkillLife, str, bool]]:
        """Scripts to run: skill, path, and whether executable."""
        wanted = [life for life in self._lives.look(self._host).lives if life.script_at(event)]
        if not wanted:
            return []
        scripts = []
        with self._host.blocking():
            for life in wanted:
                try:
                    path, is_executable = _script(Path(life.folder), life.script_at(event))
                except _UnusableError as error:
                    self._lives.note_hook(life.name, event, str(error))
                else:
                    scripts.append((life, path, is_executable))
        return scripts

    def _input(self, round_: _Round, life: SkillLife, facts: Mapping[str, Fact], turn: HookTurn) -> str:
        own: dict[str, Fact] = {
            "event": round_.event,
            "window": self._window.address.key,
            "turn_id": turn.turn_id,
            "skill_folder": life.folder,
        }
        return input_json({**own, **facts})

    def _run(self, round_: _Round, life: SkillLife, line: str, turn: HookTurn) -> None:
        limit = self._limit_s(round_.event)
        overdue_s = limit if round_.event in (BEFORE_PROMPT, BEFORE_COMPACT) else limit + PATIENCE_S
        lane = f"hook {life.name} {round_.event}"
        self._make_room(lane)
        make = partial(
            RunBash,
            window=self._window,
            command=line,
            timeout_s=limit,
            audience=turn.audience,
            folders=turn.folders,
            lane=lane,
            is_operators=True,
        )
        request_id = self._host.ask(SHELL, make, overdue_s, lambda end: self._take_end(request_id, end))
        self._runs[request_id] = _Run(round_, life.name, lane, overdue_s)

    def _limit_s(self, event: str) -> float:
        return self._patience * limit_s(event)

    def _cancel(self, request_id: RequestId) -> None:
        self._host.withdraw(request_id)
        self._host.tell(SHELL, CancelBash(request_id=request_id))

    def _make_room(self, lane: str) -> None:
        """Leave out the run that has waited longest, if too many runs of a hook would wait."""
        in_lane = [request_id for request_id, run in self._runs.items() if run.lane == lane]
        if len(in_lane) >= MOST_IN_LANE:
            longest_waiting = in_lane[1]  # the first one runs
            self._cancel(longest_waiting)
            self._finish(longest_waiting, "", "was left out, since newer ones wait")

    def _take_end(self, request_id: RequestId, end: BashResult | BashRefused | None) -> None:
        """Take the end of a script; None at its limit."""
        run = self._runs[request_id]
        text = ""
        match end:
            case None:
                self._cancel(request_id)
                fault = f"took longer than {run.overdue_s:g} s"
            case BashRefused(reason=reason):
                fault = f"was not run: {reason}"
            case BashResult(outcome=BashOutcome.TIMED_OUT):
                fault = f"took longer than {self._limit_s(run.round.event):g} s"
            case BashResult(outcome=BashOutcome.ABORTED):
                fault = "was cancelled"
            case _:
                fault = f"ended with exit code {end.exit_code}" if end.exit_code else ""
                text = "" if fault else end.text
        self._finish(request_id, text, fault)

    def _finish(self, request_id: RequestId, text: str, fault: str) -> None:
        run = self._runs.pop(request_id)
        round_ = run.round
        round_.texts[run.skill] = counted_output(round_.event, text)
        self._lives.note_hook(run.skill, round_.event, fault)
        round_.waiting -= 1
        if round_.waiting == 0:
            round_.on_done(tuple(HookOutput(skill, output) for skill, output in round_.texts.items() if output))


def _script(folder: Path, script: str) -> tuple[str, bool]:
    """Real path of a script in `folder`, after all links, and True if the script is executable.

    Raises:
        _UnusableError: the script lies elsewhere, or is no file.
    """
    path = Path(os.path.realpath(folder / script))
    if not path.is_relative_to(os.path.realpath(folder)):
        raise _UnusableError(f"{script!r} leads out of the skill's folder")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise _UnusableError(f"{script!r} cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise _UnusableError(f"{script!r} must be a plain file")
    return str(path), bool(mode & stat.S_IXUSR)
