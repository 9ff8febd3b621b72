"""Local models: language models on this machine, each behind its own server, a child process on loopback.

Read `actor.py` first (callers and answers), then `engine.py` (the child's life), `child.py` (the program of the child;
only `child.py` imports xllamacpp), then `store.py` (files of models) with `catalogue.py` (the table) and `download.py`.
Only writers: `store.py` and `download.py` write the folder of models, on behalf of `bin/agent model` and `try`.
Pure: `catalogue.py` and `config.py`. Imports, loads and downloads begin only when a setting or a command asks.
"""
