"""Observer: a page on loopback that shows the actors at work, for whoever runs the agent. It changes nothing.

Read first `tap.py` (what is heard while somebody looks), then `turns.py` and `census.py` (what is made of it),
`watch.py` (its readers), and `server.py`. `actor.py` opens and closes it all; `page/` is the page.
Pure: `turns.py`, `census.py`, `views.py`. Writes: the address of the page, `observer.json` in the data root.
Nothing is heard, asked or timed while nobody looks.
"""
