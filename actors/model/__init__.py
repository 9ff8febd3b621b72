"""Model: calls language models, many at once, each window in its turn, with retries and a daily cap.

Read `actor.py` first (which request runs when), then `calls.py` (retries, deltas), then `routed.py` (a call by the
route that litellm tells) with `routes.py` (the question to litellm), `route.py` (the answer), `sse.py` (a stream),
`wire.py` (a request) and `assembly.py` (a model's answer). `provider.py` makes the calls that need litellm, `direct.py`
the calls to a server that the request itself names. Besides this package, only the embedder imports litellm.
`litellm_child.py` is a program of its own: litellm is asked there, without network and keys.
Only writers: `kept_routes.py` keeps what litellm said, where a folder is named for it; each backend owns its
connections, and litellm those of its calls; `provider.py` sets litellm's variables in the environment.
Pure: `config.py`, `question.py`, `route.py`, `sse.py`, `assembly.py` and `wire.py`; `picture.py` reads images for it.
"""
