"""Configuration of a playground."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from actors.kernel import SystemClock
from lab.playground.gateway.events import PRIVILEGED_INTENTS
from lab.playground.world import defaults


def machine_clock() -> float:
    """The machine's time, in seconds since 1970."""
    return SystemClock().now().timestamp()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundConfig:
    """Configuration of a playground; the defaults are Discord's, without rate limits."""

    clock: Callable[[], float] = machine_clock
    """Seconds since 1970: the time of ids, tokens and limits."""
    bot_name: str = defaults.BOT_NAME
    """Name of the bot's user."""
    allowed_intents: int = PRIVILEGED_INTENTS
    """Privileged intents that are switched on for the bot."""
    heartbeat_interval_ms: int = 41_250
    """Told to gateway clients."""
    rate_limits: bool = False
    """Whether REST calls are really limited."""
    history_limit: int = 10_000
    """Most messages kept per channel."""
    history_nonces: bool = True
    """Whether a channel's history names the nonces that messages were sent with; Discord does not promise it."""
    requests_kept: int = 2000
    """Most REST calls kept for `requests()`."""
    recommended_shards: int = 1
    """How many connections the bot is told to share its guilds among."""


DEFAULTS = PlaygroundConfig()
"""A playground like Discord."""
