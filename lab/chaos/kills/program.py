"""Program of the agent's processes: forks one agent after the other from a warm process, and reaps their remains.

A separate program has a single thread when it forks. As a subreaper the program becomes the parent of all processes
that an agent's death leaves behind. Commands come on stdin as JSON, a line each; each is answered by a line on stdout.
When stdin ends, all started processes end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.kernel import SystemClock
from actors.linux.processes import descendants
from actors.linux.syscall import PR_SET_CHILD_SUBREAPER, prctl

LEFT_S = 120.0
"""Seconds for which processes started by an agent may outlive the agent: some end commands first, on a busy machine."""
LOOK_EVERY_S = 0.01
SETTLE_S = 0.2
"""Silence at the end of the bot's start; the playground describes its one server at once."""
_AGENTS: set[int] = set()
"""Started agents not buried yet."""
_STATUSES: dict[int, int] = {}
"""Exit statuses of reaped processes."""
START = "from lab.chaos.kills.program import live; live({config!r})"


def serve() -> None:
    """Carry out commands about agents until stdin ends."""
    carry_out(_warm_up, live)


def carry_out(warm_up: Callable[[], None], live: Callable[[str], None], left_s: float = LEFT_S) -> None:
    """Carry out commands until stdin ends.

    Args:
        warm_up: Imports the modules of every child.
        live: Is the child, with the settings that are named; only an agent can be a cold one.
        left_s: Seconds for which processes started by a child may outlive the child.
    """
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    warm_up()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    if threads != 1:
        raise RuntimeError(f"{threads} threads run before the first fork: the child would never get their locks")
    try:
        for line in sys.stdin:
            command = json.loads(line)
            answer = _start(live, **command["start"]) if "start" in command else _bury(command["bury"], left_s)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    finally:
        _end_all(descendants(os.getpid()))


def live(config: str) -> None:
    """Be the agent, as in `agent run`, but with a shorter wait for further servers."""
    from actors.bootstrap import Agent, discord_connection
    from actors.cli.common import load_settings, raise_file_limit, set_up_logging
    from actors.cli.run import end_on_signals

    set_up_logging(verbose=False)
    settings, secrets = load_settings(Path(config))
    connection = discord_connection(settings, secrets.discord_token or "")
    raise_file_limit()
    quick = dataclasses.replace(connection, guilds_settle_s=SETTLE_S)
    agent = Agent(settings, secrets.environment(), quick, lambda _name: None)
    end_on_signals(agent)
    agent.start()
    agent.wait()
    agent.stop()
    sys.exit(agent.exit_code)


def _warm_up() -> None:
    """Import the agent's modules, except modules starting a thread."""
    import actors.bootstrap
    import actors.cli.run
    import actors.context.actor
    import actors.curated.actor
    import actors.curated.row
    import actors.discord.actor
    import actors.embedder.actor
    import actors.embedder.providers
    import actors.facts.actor
    import actors.facts.index.actor
    import actors.facts.row
    import actors.gateway.actor
    import actors.ledger.actor
    import actors.memory.actor
    import actors.model.actor
    import actors.objects.actor
    import actors.objects.row
    import actors.objects.store.actor
    import actors.scheduler.actor
    import actors.shell.actor
    import actors.skills.actor
    import actors.socket.actor
    import actors.web.actor
    import actors.workspace.actor
    import actors.workspace.row  # noqa: F401
    from actors.http_client.litellm_library import import_litellm

    import_litellm()
    gc.collect()
    gc.freeze()  # or a collection in a fork copies every page


def _start(live: Callable[[str], None], config: str, stderr: str, *, is_cold: bool) -> dict[str, Any]:
    """Start an agent; a cold start uses a new interpreter, as an operator does."""
    pid = os.fork()
    if pid:
        _AGENTS.add(pid)
        return {"pid": pid}
    code = 1
    try:
        os.setsid()
        _redirect(stderr)
        os.chdir(Path(config).parent)
        if is_cold:
            os.execv(sys.executable, [sys.executable, "-P", "-c", START.format(config=config)])
        live(config)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except Exception:
        traceback.print_exc()
        raise
    finally:
        # Nothing of the parent's is to be ended here, such as what it would do with the rest of its commands.
        sys.stderr.flush()
        os._exit(code)


def _redirect(stderr: str) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    errors = os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (nothing, 1), (errors, 2)):
        os.dup2(source, target)
    # The objects of the parent hold what it has read ahead.
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 - lives as long as the process


def _bury(pid: int, left_s: float) -> dict[str, Any]:
    """Wait for the end of an agent and its children; name and kill the rest."""
    status = _STATUSES.pop(pid, None)
    if status is None:
        _, status = os.waitpid(pid, 0)
    _AGENTS.discard(pid)
    now = SystemClock().monotonic
    ends_at = now() + left_s
    while (left := _orphans()) and now() < ends_at:
        signal.sigtimedwait((), LOOK_EVERY_S)
    names = [_command_line(each) for each in sorted(left)]
    _end_all(left)
    return {"code": os.waitstatus_to_exitcode(status), "left": names, "cpu_s": sum(os.times()[:4])}


def _orphans() -> set[int]:
    """Reap dead children; return the living descendants apart from unburied agents and their descendants."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            if pid in _AGENTS:
                _STATUSES[pid] = status
    others = {each for agent in _AGENTS for each in (agent, *descendants(agent))}
    return descendants(os.getpid()) - others


def _end_all(pids: set[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    return f"process {pid}"
