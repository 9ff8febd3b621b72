"""Process of the agent: whole and real, but for a clock that stands still until the benchmark moves it."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from actors.bootstrap import Agent, discord_connection
from actors.cli.common import load_settings, set_up_logging
from actors.kernel import ActorSystem, ManualClock, SystemClock
from actors.linux.processes import die_with_parent
from lab.bench.month.shared_clock import SharedClock

STEP_S = 4.0
"""Seconds to advance at a time; all work is finished before the next step."""
DRAIN_S = 120.0
SPARE_S = 0.5
LOOK_S = 0.001
ONLINE_S = 120.0


def main() -> None:
    """Run the agent until stdin ends; each line moves the clock by seconds, and is answered when all is done."""
    die_with_parent(int(sys.argv[-3]))  # which may be killed in the middle of a step
    set_up_logging(verbose=False)
    config, shared, online = Path(sys.argv[-2]), SharedClock(Path(sys.argv[-1])), threading.Event()
    clock = ManualClock(shared.now())
    settings, secrets = load_settings(config)
    connection = discord_connection(settings, secrets.discord_token or "")
    agent = Agent(settings, secrets.environment(), connection, lambda _name: online.set())
    agent.system.clock = clock
    agent.start()
    threading.Thread(target=_obey, args=(agent, clock, shared, online), daemon=True).start()
    agent.wait()
    agent.stop()
    sys.exit(agent.exit_code)


def _obey(agent: Agent, clock: ManualClock, shared: SharedClock, online: threading.Event) -> None:
    """Move the clock as stdin says."""
    online.wait(ONLINE_S)
    _answer(online.is_set())
    for line in sys.stdin:
        left_s, is_quiet = float(line), True
        while left_s > 0:
            clock.advance(min(STEP_S, left_s))
            left_s -= STEP_S
            shared.set(clock.now())
            is_quiet &= _is_quiet(agent.system)
        _answer(is_quiet)
    agent.end()


def _is_quiet(system: ActorSystem) -> bool:
    """True once no actor holds work or waits; work for a later life may need the clock, and gets less time.

    Like the system's own drain, with checks a tenth as long: there are thousands of steps to a day. Work in
    real time, such as the load of a model, is not delayed by the moving clock.
    """
    pause, machine = threading.Event(), SystemClock()
    began_at = machine.monotonic()
    while True:
        runs = system.dispatcher.runs()
        holders = [each for each in system.mailboxes() if each.holds_work() or each.has_questions()]
        if not holders and system.dispatcher.runs() == runs:
            return True
        is_for_later = all(mailbox.spec.is_made_up_for for mailbox in holders)
        if machine.monotonic() - began_at > (SPARE_S if is_for_later else DRAIN_S):
            return is_for_later
        pause.wait(LOOK_S)


def _answer(is_well: bool) -> None:
    descriptors = len(list(Path("/proc/self/fd").iterdir()))  # which an ordinary user cannot count from outside
    sys.stdout.write(f"well {descriptors}\n" if is_well else "not in time\n")
    sys.stdout.flush()
