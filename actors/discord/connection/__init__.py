"""The gateway's connection: sessions, clients, shards."""

from __future__ import annotations
