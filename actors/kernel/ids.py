"""Ids of actors, supplied by the kernel, so a test can predict the ids."""

from __future__ import annotations

import base64
import itertools
import secrets
from collections.abc import Callable

IdSource = Callable[[], str]
"""Gives a new id of 8 characters of a-z2-7 at each call; safe in any thread."""

ID_BITS = 40


def random_ids() -> IdSource:
    """Ids that look random and do not repeat within a process, for the running agent.

    Steps of a random odd size from a random start visit all 2**40 ids before any repeats; with each id drawn at random,
    the chance of two equal ids in a million would be a third.
    """
    numbers = itertools.count(secrets.randbits(ID_BITS), secrets.randbits(ID_BITS) | 1)
    return lambda: _encode(next(numbers))


def random_token() -> str:
    """Random, unguessable token of 16 characters of a-z2-7: 80 bits of the system's own randomness."""
    return base64.b32encode(secrets.token_bytes(10)).decode("ascii").lower()


def counted_ids() -> IdSource:
    """Ids in a fixed order, for tests."""
    numbers = itertools.count(1)
    return lambda: _encode(next(numbers))


def _encode(number: int) -> str:
    return base64.b32encode((number % 2**ID_BITS).to_bytes(ID_BITS // 8, "big")).decode("ascii").lower()
