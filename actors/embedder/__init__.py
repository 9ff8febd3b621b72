"""Embedder: turns texts into vectors, with Google, litellm, any server by address, a local model, or hashed words.

Read `actor.py` first (the order of texts), then `circuit_breaker.py`, `waiting.py`, `suspects.py` (pauses; order and
batches; texts suspected of a failed call), then `backend.py` (a provider's duties) and one of its five kinds:
`google.py`, `litellm_provider.py`, `openai_provider.py`, `own.py` with `local.py`, `folder.py` and `encoder/`, or
`hashed.py`. `encoder/` is the local model's forward pass, compiled and in numpy; `part.py` has the row. Only writers:
no file is written; each backend owns its connections or threads. In the local model's threads `precedence.py` lets
short work go first. Pure: `vectors.py`, `hashed.py`; `circuit_breaker.py` but for its jitter, `suspects.py`;
`waiting.py` but for the cancelled timers.
"""
