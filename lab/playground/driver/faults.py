"""Fault injection: REST calls and the gateway misbehave on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lab.playground.driver.calls import WAIT_S, ThreadCalls
from lab.playground.gateway.protocol import Gateway
from lab.playground.world.faults import Fault
from lab.playground.world.objects import Json


class FaultDriver(ThreadCalls):
    """Driver of faults, which makes a misbehaving network of a good one."""

    def inject(self, kind: str, match: str = "", times: int = 1, **how: Any) -> None:
        """Arm a fault of REST calls; see `FaultQueue.inject`."""
        self.run(lambda: self._hub.faults.inject(kind, match, times, **how))

    def choose_faults(self, choose: Callable[[Gateway, str], Fault | None]) -> None:
        """Ask `choose` about each REST call, as `METHOD /path`, on the server's thread; it may harm the gateway too."""
        self.run(lambda: setattr(self._hub.faults, "chooser", partial(choose, self._hub.gateway)))

    def clear_faults(self) -> None:
        """Disarm every fault, and end the delays that last."""
        self.run(self._hub.faults.clear)

    def garble(self, message_id: int) -> None:
        """Make a message one that discord.py cannot read, from now on."""
        self.run(lambda: self._hub.payloads.garbled.add(message_id))

    def limit_rates(self, enabled: bool = True) -> None:
        """Switch real rate limiting on or off."""
        self.run(lambda: setattr(self._hub.limiter, "enabled", enabled))

    def drop(self, code: int = 4000, shard: int | None = None) -> int:
        """Close gateway sockets with `code`, of one shard or all; return the number. 1006 resets the sockets."""
        return self.wait(self._hub.gateway.drop(code, shard), WAIT_S)

    def op7(self) -> int:
        """Ask all sockets to reconnect; return the number."""
        return self.run(self._hub.gateway.request_reconnect)

    def op9(self, resumable: bool = False) -> int:
        """Tell all sockets that their session is invalid; return the number."""
        return self.run(lambda: self._hub.gateway.invalidate(resumable))

    def zombie(self) -> int:
        """Silence all sockets without closing; return the number."""
        return self.run(self._hub.gateway.freeze)

    def gateway_faults(self, **faults: int | bool) -> None:
        """Set fields of `GatewayFaults`, such as `refuse_resumes=1`."""

        def act() -> None:
            for name, value in faults.items():
                if not hasattr(self._hub.gateway.faults, name):
                    raise ValueError(f"gateway fault {name!r}: unknown")
                setattr(self._hub.gateway.faults, name, value)

        self.run(act)

    def send_delayed(self) -> int:
        """Send the events held back by `delay_messages`; return the number."""
        return self.run(self._hub.gateway.send_delayed)

    def dispatch(self, name: str, payload: Json) -> None:
        """Send the bot any gateway event, malformed ones too."""
        self.run(lambda: self._hub.gateway.dispatch(name, payload))
