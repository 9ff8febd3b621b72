"""HTTP client: calls of models' servers, over kept connections; no actor, but a library of actors.

Read `connections.py`, then `clean_connector.py`; `environment.py` has the operator's proxies and certificates,
`litellm_library.py` makes litellm ready, with its variables in the environment, and `late_import.py` has large
libraries imported one after the other. The room writes no files, and owns the connections of the event loop on which it
is used.
"""
