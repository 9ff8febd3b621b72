"""Report of a running agent on itself: each actor's own figures, and the kernel's."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from actors.kernel import ActorSystem, Host, ask_from_loop
from actors.kernel.inspection import at_work, counters, mailboxes
from messages.base import CONTEXT_KIND, Address, flaw_of
from messages.socket import SOCKET
from messages.status import DescribeYourself, SelfDescription

DEADLINE_S = 1.0
FULLEST = 10
"""Most mailboxes named."""

Facts = Mapping[str, object]


def system_facts(system: ActorSystem, started_at: datetime) -> Facts:
    """Figures of the kernel, in a form fit for JSON.

    Args:
        system: The running system.
        started_at: Aware UTC.
    """
    waiting = mailboxes(system)
    counts = counters(system)
    kinds = Counter(address.kind for address in system)
    busy = [str(address) for address in at_work(system) if address != SOCKET]
    return {
        "started_at": started_at.isoformat(),
        "uptime_s": round((system.clock.now() - started_at).total_seconds()),
        "windows_in_memory": kinds[CONTEXT_KIND],
        "actors": dict(sorted(kinds.items())),
        "workers": counts["living"]["workers"],
        "waits": dict(counts["waits"]),
        "loops": list(system.watchdog.loops),
        "not_answering": list(system.watchdog.late),
        "at_work": len(busy),
        "some_at_work": busy[:FULLEST],
        "messages_waiting": sum(view.depth for view in waiting),
        "fullest_mailboxes": {str(view.address): view.depth for view in waiting[:FULLEST]},
        "crashes": dict(counts["crashes"]),
        "restarts": dict(counts["restarts"]),
        "stuck": dict(counts["stuck"]),
        "dead_letters": dict(counts["dead letters"]),
    }


class Status:
    """Collector of descriptions: asks all actors at once and waits at most until the deadline."""

    def __init__(self, host: Host, describers: tuple[Address, ...], facts: Callable[[], Facts]) -> None:
        self._host = host
        self._describers = describers
        self._facts = facts

    async def report(self) -> dict[str, object]:
        """All facts known within the deadline; late actors are named."""
        answers = await asyncio.gather(*(self._describe(address) for address in self._describers))
        answer_of = dict(zip(self._describers, answers, strict=True))
        return {
            "system": dict(self._facts()),
            "actors": {str(address): figures for address, figures in answer_of.items() if figures is not None},
            "late": [str(address) for address, figures in answer_of.items() if figures is None],
        }

    async def _describe(self, address: Address) -> dict[str, object] | None:
        try:
            answer = await ask_from_loop(self._host, address, DescribeYourself, DEADLINE_S)
        except TimeoutError:
            return None
        if not isinstance(answer, SelfDescription) or flaw_of(answer):
            return None
        return dict(answer.figures + answer.operator_figures)
