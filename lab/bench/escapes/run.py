"""Run of every attempt in each sandbox, in order, and the count of successes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.escapes.scenarios import ATTEMPTS
from lab.bench.escapes.script import BREACH, FINISHED, whole
from lab.bench.escapes.stage import SECRET_VARIABLE, Stage, open_stage
from lab.bench.escapes.target import Attempt
from lab.bench.escapes.target import Target as EscapeTarget
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError, Program
from lab.bench.shell.run import WRAPPERS, available
from lab.bench.shell.shells import Shells

PEER = "sandbox-runtime"
LIMIT_S = 60.0

Say = Callable[[str], object]
Run = Callable[[str], str]
"""Function that runs a command and returns the output."""


def measure(say: Say, *, peer: Path | None = None, transcript: Path | None = None, names: Sequence[str] = ()) -> Rows:
    """Sandbox -> successes of each attempt.

    Args:
        say: Called with the current attempt.
        peer: Executable of the peer; None for no peer.
        transcript: File for the output of each attempt.
        names: Attempts to run; empty for all.

    Raises:
        MeasurementError: an attempt did not come to its end.
        ValueError: a name belongs to no attempt.
    """
    for name in names:
        if name not in ATTEMPTS:
            raise ValueError(f"no attempt has the name {name!r}; the attempts are {', '.join(ATTEMPTS)}")
    with open_stage() as stage, ExitStack() as opened:
        file = opened.enter_context(transcript.open("w", encoding="utf-8")) if transcript else None
        count = Counter(say, stage, file, tuple(names) or tuple(ATTEMPTS))
        rows = _ours(count)
        return rows if peer is None else {**rows, PEER: _peers(count, peer.absolute())}


@dataclass(frozen=True, slots=True)
class Counter:
    """Counter of an attempt's successes, reported by the attempt or shown by the stage."""

    say: Say
    stage: Stage
    transcript: TextIO | None
    names: tuple[str, ...]

    def figures(self, system: str, target: EscapeTarget, run: Run) -> Figures:
        """Successes of every attempt in a sandbox.

        Raises:
            MeasurementError: an attempt did not come to its end.
        """
        return {name: self._successes(system, ATTEMPTS[name], target, run) for name in self.names}

    def _successes(self, system: str, attempt: Attempt, target: EscapeTarget, run: Run) -> float:
        self.say(f"{system}: {attempt.name}")
        output = run(whole(attempt.command(target)))
        if FINISHED not in output:
            raise MeasurementError(f"{system}: {attempt.name} did not finish: {output.strip()[-300:]}")
        harm = self.stage.evidence(target, output)
        if self.transcript is not None:
            lines = (f"# {system}: {attempt.name}", output, *(f"{BREACH} {each}" for each in harm))
            self.transcript.write("\n".join(lines) + "\n\n")
        return float(sum(line.startswith(BREACH) for line in output.splitlines()) + len(harm))


def _ours(count: Counter) -> dict[str, Figures]:
    """Figures of each working bubblewrap on this machine, through the real actor of the shell."""
    stage = count.stage
    levels = available()
    shells = Shells(stage.root / "agent", levels)
    try:
        rows = {}
        for level in levels:
            log = stage.root / "agent" / level / "logs" / "discord-channel" / "1" / "20260101T000000Z_0001.md"
            rows[level] = count.figures(level, stage.target(log, shells.workdir(level)), _runner(shells, level))
        return rows
    finally:
        shells.close()


def _runner(shells: Shells, level: str) -> Run:
    return lambda command: shells.result(shells.tell(level, command)).text


def _peers(count: Counter, peer: Path) -> Figures:
    """Figures of the peer: everything except its working directory and one file is barred from reading and writing.

    Reading is allowed by default there, so its settings name the folder of the targets and the home directory; the
    variable with the secret is named, too.
    """
    stage = count.stage
    place = stage.root / "peer"
    work, log = place / "work", place / "log.md"
    work.mkdir(parents=True)
    home = Path.home()
    settings = place / "settings.json"
    settings.write_text(
        json.dumps(
            {
                "network": {"allowedDomains": [], "deniedDomains": []},
                "filesystem": {
                    "denyRead": [str(stage.root), str(home)],
                    "allowRead": [str(work), str(log)],
                    "allowWrite": [str(work)],
                    "denyWrite": [],
                },
                "credentials": {"envVars": [{"name": SECRET_VARIABLE, "mode": "deny"}]},
            }
        )
    )
    target = stage.target(log, work, Path("/tmp/claude"), home / ".npm" / "_logs", home / ".claude" / "debug")

    def run(command: str) -> str:
        output = place / "output"
        output.write_bytes(b"")
        words = (str(peer), "--settings", str(settings), "-c", command)
        with Program(words, os.environ, work, output) as program:
            if not program.wait(LIMIT_S):
                return "not done in time"
        return output.read_text(errors="replace")

    return count.figures(PEER, target, run)


ESCAPES = Benchmark(
    name="escapes",
    measure=measure,
    is_upright=True,
    peer=PEER,
    targets=tuple(Target(name, name, 0) for name in ATTEMPTS),
    columns=tuple(Column(name, name) for name in ATTEMPTS),
    missing=lambda: (f"not tried: {name} does not work here" for name in WRAPPERS if name not in available()),
    note="Successes of each attempt, as the user who runs this; 0: held. Run it as root and as an ordinary user.",
)
