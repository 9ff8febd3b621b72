"""All hostile servers over stdin and stdout."""

from __future__ import annotations

from lab.bench.mcp.hostile.hosts import HOSTS
from lab.bench.mcp.hostile.lists import LISTS
from lab.bench.mcp.hostile.streams import STREAMS
from lab.bench.mcp.hostile.words import WORDS

HOSTILE = (*STREAMS, *LISTS, *HOSTS, *WORDS)
