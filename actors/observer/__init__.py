"""Observer: a read-only page on loopback that shows the operator the actors at work.

Read first `tap.py` (messages overheard while a client is connected), then `turns.py` and `census.py` (derived views),
`watch.py` (readers), and `server.py`. `actor.py` opens and closes all; `page/` is the page.
Pure: `turns.py`, `census.py`, `views.py`. Writes: the address of the page, `observer.json` in the data root.
Without a client, no message is overheard, no actor is asked and no timer runs.
"""
