"""REST calls: each with a bound on its time, at the loop's pace, retried until Discord does it or will never do it.

Read first `rest_calls.py` (retries, failures), `refusals.py` (refusals by code), then `pace.py` (how calls take turns)
and `gate.py` (the circuit breaker for bans), then `fatal.py` (what no restart can mend, in words). `history.py` reads a
channel page by page, by `parsing.py`, which leaves out what discord.py cannot read; `archives.py` lists threads, and
`turns.py` bounds how many calls are under way. `background.py` holds the tasks that make calls beside what goes on.
Every call of the room goes through `RestCalls`, but for the answers to interactions, which Discord wants within
seconds; `user_agent.py` names the bot in all of them, and `text_ids.py` writes ids as Discord wants them.
`addresses.py` alone sets discord.py's process-wide addresses.
Pure: `fatal`, `refusals`.
"""
