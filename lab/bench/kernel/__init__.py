"""Benchmark of the actor runtime, beside plain pykka, asyncio and Erlang."""

from __future__ import annotations
