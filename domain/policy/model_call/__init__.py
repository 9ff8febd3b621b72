"""Calls of models: places up to which a provider should cache a request, and the next model to ask.

Read `caching.py` first, then `fallbacks.py`. All pure.
"""
