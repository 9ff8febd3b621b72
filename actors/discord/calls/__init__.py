"""REST calls: each with a time limit, at the loop's pace, retried until Discord carries out the call or never will.

Read first `rest_calls.py` (retries, failures), `refusals.py` (refusals by code), then `pace.py` (the order of calls)
and `gate.py` (the circuit breaker for bans), then `fatal.py` (faults that no restart can mend, in words). `history.py`
reads a channel page by page, by `parsing.py`, which leaves out parts that discord.py cannot read; `archives.py` lists
threads, and `turns.py` limits the number of concurrent calls. `background.py` holds the tasks that make calls beside
other work. Every call of the room goes through `RestCalls`, but for the answers to interactions, which Discord wants
within seconds; `user_agent.py` names the bot in all calls, and `text_ids.py` writes ids in Discord's form.
`addresses.py` alone sets discord.py's process-wide addresses. Pure: `fatal`, `refusals`.
"""
