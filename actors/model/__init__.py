"""Model: calls language models, many at once, each window in its turn, with retries and a daily cap.

Read `actor.py` first (which request runs when), then `calls.py` (retries, deltas), then `provider.py` (litellm, and
nobody else imports it but the embedder) with `wire.py` (a request as it is sent) and `assembly.py` (an answer).
Only writers: nobody writes files; `provider.py` owns the connections, and sets litellm's variables in the environment.
Pure: `config.py`, `assembly.py` and `wire.py`, whose images are read by `picture.py`.
"""
