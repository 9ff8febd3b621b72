"""Fault injection: REST calls and the gateway misbehave on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lab.playground.gateway.protocol import Gateway
from lab.playground.hub import Hub
from lab.playground.world.errors import ApiError
from lab.playground.world.faults import Fault
from lab.playground.world.objects import Json


def inject(
    hub: Hub,
    kind: str,
    match: str = "",
    times: int = 1,
    *,
    delay_s: float = 0.0,
    retry_after_s: float = 0.3,
    status: int = 502,
    code: int = 0,
    named: str = "",
) -> None:
    """Arm a fault of REST calls; see `FaultQueue.inject`."""
    hub.faults.inject(
        kind, match, times, delay_s=delay_s, retry_after_s=retry_after_s, status=status, code=code, named=named
    )


def choose_faults(hub: Hub, choose: Callable[[Gateway, str], Fault | None]) -> None:
    """Ask `choose` about each REST call, as `METHOD /path`, on the server's thread.

    `choose` may harm the gateway too.
    """
    hub.faults.chooser = partial(choose, hub.gateway)


def clear_faults(hub: Hub) -> None:
    """Disarm every fault, and end lasting delays."""
    hub.faults.clear()


def garble(hub: Hub, message_id: int) -> None:
    """Make a message unreadable for discord.py, from now on."""
    hub.payloads.garbled.add(message_id)


def limit_rates(hub: Hub, enabled: bool = True) -> None:
    """Switch real rate limiting on or off."""
    hub.limiter.enabled = enabled


async def drop(hub: Hub, code: int = 4000, shard: int | None = None) -> int:
    """Close gateway sockets with `code`, of one shard or all; return the number. 1006 resets the sockets."""
    return await hub.gateway.drop(code, shard)


def op7(hub: Hub) -> int:
    """Ask all sockets to reconnect; return the number."""
    return hub.gateway.request_reconnect()


def op9(hub: Hub, resumable: bool = False) -> int:
    """Send op 9 (invalid session) to all sockets; return the number of sockets."""
    return hub.gateway.invalidate(resumable)


def zombie(hub: Hub) -> int:
    """Silence all sockets without closing; return the number."""
    return hub.gateway.freeze()


def gateway_faults(hub: Hub, /, **faults: int | bool) -> None:
    """Set fields of `GatewayFaults`, for example `refuse_resumes=1`."""
    for name, value in faults.items():
        if not hasattr(hub.gateway.faults, name):
            raise ValueError(f"gateway fault {name!r}: unknown")
        setattr(hub.gateway.faults, name, value)


def send_delayed(hub: Hub) -> int:
    """Send the events held back by `delay_messages`; return the number."""
    return hub.gateway.send_delayed()


def dispatch(hub: Hub, name: str, payload: Json) -> None:
    """Send the bot any gateway event, including malformed events."""
    hub.gateway.dispatch(name, payload)


def kill(hub: Hub) -> None:
    """Kill the bot beside the page."""
    if hub.companion is None:
        raise ApiError(400, 50035, "No bot runs beside this page, so none can be killed")
    hub.companion.kill()
