"""Time-outs and pauses of the bot, in one value that tests make small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Every wait of the bot, in seconds, and how often it tries."""

    call_timeout_s: float = 60.0
    """One call to Discord, with discord.py's own retries (up to 25 s) and short rate limits (up to 30 s)."""
    attempts: int = 6
    """Calls before something is given up, >= 1."""
    nonce_s: float = 120.0
    """Seconds after the first attempt at a post in which Discord still knows its nonce; later attempts might show the
    text twice.
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
    """A lost session that is neither resumed nor new after this long is given up for a new connection."""
    heartbeat_timeout_s: float = 60.0
    """Silence after which discord.py takes the socket for dead; above the heartbeat's interval."""
    identify_pause_s: float = 5.0
    """Before a session is opened anew, as Discord asks."""
    guild_ready_timeout_s: float = 2.0
    """Silence after the last guild that ends the start of a session, while others are not described yet."""
    guilds_known_s: float = 0.05
    """The same when all are."""
    file_timeout_s: float = 20.0
    """Reading one attached file; what is said after it in the channel waits as long."""
    lost_files_s: float = 30.0
    """Spent on files of a message that did not come, after which its others are not asked for: ten could hold up a
    channel for minutes."""
    listen_s: float = 0.0
    """For the words of all recordings of a message; what is said after it in the channel waits as long. 0 where speech
    is not written down.
    """
    disk_timeout_s: float = 20.0
    """Keeping the files of a message, or reading one that is to be posted; a disk that takes longer hangs."""
    disk_again_s: float = 30.0
    """Before watermarks that the disk did not take are written again."""
    send_timeout_s: float = 50.0
    """Posting a file with all attempts at it; the requester waits no longer than a minute."""
    draft_after_s: float = 1.2
    """Age of an answer's first words at which a message shows it; one that is whole by then is posted as it is."""
    edit_every_s: float = 1.2
    """Between two changes of a running message; Discord takes about five in five seconds in a channel."""
    edit_limit_s: float = 3_000.0
    """Age beyond which a message is not edited any more: Discord restricts that after an hour."""
    left_running_s: float = 60.0
    """Before a message that shows a turn as running which is over is ended: its answer may be on the way to it."""
    thread_timeout_s: float = 15.0
    """Opening a thread for a question, with all attempts; what is said after it in the channel waits as long."""
    typing_every_s: float = 8.0
    """Discord shows typing for ten seconds."""
    typing_limit_s: float = 30.0
    """Typing that is not prolonged for so long is stopped."""
    reaction_after_s: float = 1.0
    """A message answered sooner gets no reaction, neither for work nor for its end."""
    reaction_every_s: float = 0.25
    """Between two changes of reactions in a channel, as Discord allows."""
    signs_left_s: float = 30.0
    """Until the signs of work of an earlier life are taken away: the turns that go on have said so by then."""
    reaction_late_s: float = 60.0
    """A reaction that could not be shown for so long is left out."""
    answer_within_s: float = 10.0
    """A command that got no reply by then says that it takes longer."""
    command_life_s: float = 840.0
    """After that a command that takes longer is given up; Discord takes its answer for fifteen minutes."""
    look_back_s: float = 3600.0
    """Age up to which a text that answers no message may count as sent already."""
    gap_hold_s: float = 60.0
    """Time that new messages of a channel wait for a page of missed ones, while Discord does not answer."""
    turn_s: float = 2.0
    """Duration of a call for missed messages after which other calls no longer wait for its end."""
    gives_way_s: float = 0.5
    """Longest wait of a page of the past for answers: one may wait for its model for minutes."""
    gap_again_s: float = 10.0
    """Then a gap is tried again after this, then after twice as long, and so on."""
    gap_again_limit_s: float = 300.0
    compare_pause_s: float = 0.2
    """Between two windows that are compared with Discord after a new session, so that what is said goes first."""
    compare_timeout_s: float = 60.0
    """Time for a window to list the messages in its logs."""
    compare_again_s: float = 600.0
    """After that a window is compared again where it could not be."""
    look_every_s: float = 600.0
    """Between two looks into a channel's history for messages that no event told of."""
    look_pause_s: float = 0.4
    """Between two such calls: 1,500 in ten minutes, where Discord lets a bot make fifty in a second."""
    close_timeout_s: float = 3.0


def backoff(attempt: int, first_s: float, limit_s: float) -> float:
    """Seconds to wait after failure number `attempt` (from 1): doubled each time, up to the limit.

    Without jitter: there is one bot per token, so no other bot returns at the same moment.
    """
    # The exponent is bounded because 2.0 ** 1024 overflows after days of failures.
    return float(min(limit_s, first_s * 2.0 ** min(attempt - 1, 32)))
