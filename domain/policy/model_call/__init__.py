"""Calls of models: the places up to which a provider is asked to keep a request, and the model that is asked next.

Read `caching.py` first, then `fallbacks.py`. All pure.
"""
