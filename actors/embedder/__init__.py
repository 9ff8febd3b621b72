"""Embedder: turns texts into vectors, with Google, litellm, any server by its address, a local model, or hashed words.

Read `actor.py` first (which text is sent when), then `circuit_breaker.py`, `waiting.py`, `suspects.py` (pauses; order
and batches; texts that a call may have failed for), then `backend.py` (what a provider must do) and of its five the one
that matters: `google.py`, `litellm_provider.py`, `openai_provider.py`, `own.py` with `local.py`, `folder.py` and
`encoder/`, or `hashed.py`.
`encoder/` is the local model's forward pass, compiled and in numpy; `reranking/` judges texts against a query;
`part.py` has the rows of two embedders, the agent's and that of the facts.
Only writers: nobody writes files; each backend owns its connections or threads.
In the local model's threads `precedence.py` says who goes first.
Pure: `vectors.py`, `hashed.py`; `circuit_breaker.py` but for its jitter, `suspects.py`; `waiting.py` but for the
timers that it cancels.
"""
