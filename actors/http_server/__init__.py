"""HTTP server's shared parts: listening with bounds, a guard for pages on loopback, and questions to actors.

Read first `listener.py`, then `guard.py`, then `exchange.py`. The gateway and the observer serve with these modules;
their content is their own. Pure: `places.py`, and `guard.py` except for the answers made there. `expectation.py` makes
clients hold back their bodies until the server reads the bodies; `page_file.py` has the parts of pages.
"""
