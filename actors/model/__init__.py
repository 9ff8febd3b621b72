"""Model: calls language models, many at once, each window in its turn, with retries and a daily cap.

Read `actor.py` first (which request runs when), then `calls.py` (retries, deltas), then `routed.py` (a call by the
route that litellm tells) with `routes.py` (how it is asked), `route.py` (its answer), `sse.py` (a stream as it comes),
`wire.py` (a request as it is sent) and `assembly.py` (an answer). `provider.py` makes the calls that need litellm,
`direct.py` those of a server that the request itself names. Nobody else imports litellm but the embedder.
`litellm_child.py` is a program of its own: litellm is asked there, without network and keys.
Only writers: `kept_routes.py` keeps what litellm said, where a folder is named for it; each backend owns its
connections, and litellm those of its calls;
`provider.py` sets litellm's variables in the environment.
Pure: `config.py`, `question.py`, `route.py`, `sse.py`, `assembly.py` and `wire.py`; `picture.py` reads images for it.
"""
