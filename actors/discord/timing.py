"""How long the bot waits for what, in one value that tests make small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Every wait of the bot, in seconds, and how often it tries."""

    call_timeout_s: float = 60.0
    """One call to Discord, with discord.py's own retries (up to 25 s) and short rate limits (up to 30 s)."""
    attempts: int = 6
    """Calls before something is given up, >= 1."""
    backoff_s: float = 0.5
    backoff_limit_s: float = 8.0
    reconnect_backoff_s: float = 1.0
    reconnect_backoff_limit_s: float = 300.0
    """Discord allows some 1,000 sessions a day; this many seconds apart they cannot be used up."""
    session_timeout_s: float = 60.0
    """A lost session that is neither resumed nor new after this long is given up for a new connection."""
    heartbeat_timeout_s: float = 60.0
    """Silence after which discord.py takes the socket for dead; above the heartbeat's interval."""
    identify_pause_s: float = 5.0
    """Before a session is opened anew, as Discord asks."""
    guild_ready_timeout_s: float = 2.0
    """Silence after the last guild that ends the start of a session."""
    typing_every_s: float = 8.0
    """Discord shows typing for ten seconds."""
    typing_limit_s: float = 900.0
    """No answer takes longer; what still types then was forgotten."""
    answer_within_s: float = 10.0
    """A command that got no reply by then says that it takes longer."""
    look_back_s: float = 3600.0
    """How old a text may be to count as sent already when it answers no message."""
    close_timeout_s: float = 3.0


def backoff(attempt: int, first_s: float, limit_s: float) -> float:
    """Seconds to wait after failure number `attempt` (from 1): doubled each time, up to the limit.

    Without jitter: there is one bot per token, so nobody else returns at the same moment.
    """
    # The exponent is bounded because 2.0 ** 1024 overflows after days of failures.
    return float(min(limit_s, first_s * 2.0 ** min(attempt - 1, 32)))
