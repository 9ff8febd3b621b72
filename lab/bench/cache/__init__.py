"""Benchmark of prompt caching: conversations, charged by a provider's published rules.

Read `run.py` first (one conversation through the whole agent), then `gateway.py` (one for each place of the gateway's
memories). In place of both a real engine counts: `talk.py` (the conversations), then `engine.py` (the engine and its
counts). The rules are the rules of `lab/loopback_model/prefix_cache.py`. Pure: `gateway.py`.
"""
