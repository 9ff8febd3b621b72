"""Configuration of the web service: the search engine's key and address, the readable pages, and time limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from actors.http_client.public_addresses import HostPort
from actors.web.brave import API_BASE, parse_api_base

OUT_BYTES_PER_HOUR = 64 * 1024
LEAST_COUNTED_BYTES = 256
"""Least bytes that a request counts: the request in itself carries information."""
RESULT_PAGE_S = 10.0
SINGLE_PAGE_S = 15.0
SLOT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebConfig:
    """Configuration of a WebActor."""

    api_key: str = field(default="", repr=False)
    """Key of the search engine; without a key searches are refused and pages are read."""
    api_base: str = API_BASE
    """Base URL of the engine."""
    also_open: frozenset[HostPort] = frozenset()
    """Addresses that may be read without being public: for tests."""
    read: Literal["seen", "any", "off"] = "seen"
    """Addresses that may be read: addresses written by users in the window or found by its searches, any, or none."""
    out_bytes_per_hour: int = OUT_BYTES_PER_HOUR
    """Most bytes of addresses and searches that a window may send out in an hour."""
    result_page_s: float = RESULT_PAGE_S
    """Longest wait in seconds for each page of a search's results."""
    single_page_s: float = SINGLE_PAGE_S
    """Longest wait in seconds for a page requested by itself."""
    check_s: float = 5.0
    """Longest wait for a window's word on an address; the window may have to read its log first."""
    slot_s: float = SLOT_S
    """Least seconds for a request before waiting requests can end it."""
    asks_first: bool = False
    """True if a person is asked before each request."""

    def __post_init__(self) -> None:
        """Refuse an address to which the key must not go.

        Raises:
            ValueError: the key would go over an open network.
        """
        parse_api_base(self.api_base)
