"""Model: calls language models, many at once, each window in its turn, with retries and a daily cap.

Read `actor.py` first (order of requests), then `calls.py` (retries, deltas), then `routed.py` (a call by the route of
its model) with `routes.py` (the question to litellm), `route.py` (litellm's answer as a route), `wire.py` (a request)
and `answer.py` (a reported error); `domain/text/answer/stream.py` reads answers. `provider.py` makes the calls that
need litellm; `litellm_child.py` is a program of its own, for questions to litellm without network and keys.
Only writers: `kept_routes.py` keeps litellm's listings, if a folder is configured; each backend owns its connections,
and litellm the connections of its calls.
Pure: `config.py`, `route.py`, `answer.py` and `wire.py`; `picture.py` reads images for `wire.py`.
"""
