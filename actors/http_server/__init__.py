"""HTTP server's shared parts: listening with bounds, a guard for pages on loopback, and questions to actors.

Read first `listener.py`, then `guard.py`, then `exchange.py`. The gateway and the observer serve with these modules;
their content is their own. Pure: `places.py`, and `guard.py` but for the answers that it makes. `expectation.py` has
clients wait with their bodies until these are read; `page_file.py` has what pages are made of.
"""
