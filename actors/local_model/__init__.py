"""Local models: language models on this machine, each behind a server of its own, a child process on loopback.

Read `actor.py` first (who asks, what is answered), then `engine.py` (the child's life), `child.py` (the program of the
child; it alone imports xllamacpp), then `store.py` (files of models) with `catalogue.py` (the table) and `download.py`.
Only writers: `store.py` and `download.py` write the folder of models, on behalf of `bin/agent model` and `try`.
Pure: `catalogue.py` and `config.py`. Nothing is imported, loaded or fetched before a setting or a command asks for it.
"""
