"""The kernel measured beside its peers: plain pykka, asyncio and Erlang/OTP, all in the same run."""

from __future__ import annotations
