"""HTTP client: calls of servers of models, over connections that are kept; no actor, but what actors use.

Read `connections.py`, then `clean_connector.py`; `environment.py` has the operator's proxies and certificates. It
writes nothing, and owns the connections of the event loop on which it is used.
"""
