"""Time-outs and pauses of the bot, in one value; tests make the pauses small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Every wait of the bot, in seconds, and the number of attempts."""

    call_timeout_s: float = 60.0
    """One call to Discord, with discord.py's own retries (up to 25 s) and short rate limits (up to 30 s)."""
    attempts: int = 6
    """Calls before giving up, >= 1."""
    nonce_s: float = 120.0
    """Seconds after the first attempt at a post during which Discord still knows the nonce; later attempts might show
    the text twice.
    """
    backoff_s: float = 0.5
    backoff_limit_s: float = 8.0
    reconnect_backoff_s: float = 1.0
    reconnect_refused_limit_s: float = 5.0
    """Longest pause while no connection can be made at all, so that the bot is back soon after Discord is."""
    reconnect_backoff_limit_s: float = 100.0
    """Longest pause where connections are made and do not last: Discord allows some 1,000 sessions a day; this many
    seconds apart they cannot be used up."""
    session_timeout_s: float = 60.0
    """Age of a lost session, neither resumed nor replaced, at which a new connection is opened."""
    heartbeat_timeout_s: float = 60.0
    """Silence after which discord.py takes the socket for dead; above the heartbeat's interval."""
    identify_pause_s: float = 5.0
    """Before a session is opened anew, as Discord asks."""
    guild_ready_timeout_s: float = 2.0
    """Silence after the last guild at which the start of a session ends, even if other guilds are not described yet."""
    guilds_known_s: float = 0.05
    """The same when all are."""
    file_timeout_s: float = 20.0
    """Seconds to read one attached file; later messages in the channel wait as long."""
    lost_files_s: float = 30.0
    """Seconds spent on a message's failed downloads, after which the other files are not requested: ten could hold up a
    channel for minutes."""
    listen_s: float = 0.0
    """Seconds for the words of all recordings of a message; later messages in the channel wait as long. 0 where speech
    is not written down.
    """
    disk_timeout_s: float = 20.0
    """Seconds to keep the files of a message, or to read a file to be posted; a slower disk counts as hanging."""
    disk_again_s: float = 30.0
    """Seconds before watermarks are written again after a failed write."""
    send_timeout_s: float = 50.0
    """Seconds to post a file with all attempts at it; the requester waits no longer than a minute."""
    draft_after_s: float = 1.2
    """Age of an answer's first words before a message shows the words; an answer complete by then is posted directly.
    """
    edit_every_s: float = 1.2
    """Between two changes of a running message; Discord takes about five in five seconds in a channel."""
    edit_limit_s: float = 3_000.0
    """Age above which a message is not edited any more: Discord restricts edits after an hour."""
    left_running_s: float = 60.0
    """Seconds before the end of a message that shows a finished turn as running: the answer may be on the way."""
    thread_timeout_s: float = 15.0
    """Seconds to open a thread for a question, with all attempts; later messages in the channel wait as long."""
    typing_every_s: float = 8.0
    """Discord shows typing for ten seconds."""
    typing_limit_s: float = 30.0
    """Seconds until typing stops without a renewal."""
    reaction_after_s: float = 1.0
    """A message answered sooner gets no reaction, neither for work nor for the end."""
    reaction_every_s: float = 0.25
    """Between two changes of reactions in a channel, as Discord allows."""
    signs_left_s: float = 30.0
    """Until the signs of work of an earlier life are taken away: the turns that go on have said so by then."""
    reaction_late_s: float = 60.0
    """Seconds until a reaction is left out that could not be shown."""
    answer_within_s: float = 10.0
    """Seconds after which a command without a reply announces a longer wait."""
    command_life_s: float = 840.0
    """Seconds after which a slow command is given up; Discord takes an answer for fifteen minutes."""
    look_back_s: float = 3600.0
    """Age up to which a text without an answered message may count as sent already."""
    gap_hold_s: float = 60.0
    """Seconds that new messages of a channel wait for a page of missed messages, while Discord does not answer."""
    turn_s: float = 2.0
    """Duration of a call for missed messages; other calls wait no longer for the end."""
    gives_way_s: float = 0.5
    """Longest wait of a page of the past for answers: an answer may wait for its model for minutes."""
    gap_again_s: float = 10.0
    """Then a gap is tried again after this, then after twice as long, and so on."""
    gap_again_limit_s: float = 300.0
    compare_pause_s: float = 0.2
    """Seconds between two comparisons of windows with Discord after a new session, so new messages go first."""
    compare_timeout_s: float = 60.0
    """Time for a window to list the messages in its logs."""
    compare_again_s: float = 600.0
    """Seconds until a failed comparison of a window is repeated."""
    look_every_s: float = 600.0
    """Seconds between two looks into a channel's history for messages without an event."""
    look_pause_s: float = 0.4
    """Seconds between two look calls: 1,500 in ten minutes, where Discord lets a bot make fifty in a second."""
    close_timeout_s: float = 3.0


def backoff(attempt: int, first_s: float, limit_s: float) -> float:
    """Seconds to wait after failure number `attempt` (from 1): doubled each time, up to the limit.

    Without jitter: there is one bot per token, so no other bot returns at the same moment.
    """
    # The exponent is bounded because 2.0 ** 1024 overflows after days of failures.
    return float(min(limit_s, first_s * 2.0 ** min(attempt - 1, 32)))
