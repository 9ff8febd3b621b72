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
    """Privileged intents switched on for the bot."""
    heartbeat_interval_ms: int = 41_250
    """Told to gateway clients."""
    rate_limits: bool = False
    """True if REST calls are really limited."""
    history_limit: int = 10_000
    """Most messages kept per channel."""
    history_nonces: bool = True
    """True if a channel's history names the messages' nonces; Discord does not promise the nonces."""
    requests_kept: int = 2000
    """Most REST calls kept for `requests()`."""
    recommended_shards: int = 1
    """Number of connections recommended to the bot for its guilds."""


DEFAULTS = PlaygroundConfig()
"""A playground like Discord."""
