"""A provider's cache charges by its published rules: beginnings, marks, a least length, a time, and a look back."""

from __future__ import annotations

from typing import Any

import pytest

from lab.loopback_model.prefix_cache import KEPT_S, LOOKBACK, PrefixCache


def body(*texts: str, marks: tuple[int, ...] = (), model: str = "m") -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    for place in marks:
        parts[place]["cache_control"] = {"type": "ephemeral"}
    return {"model": model, "messages": [{"role": "user", "content": parts}]}


LONG = "word " * 1200


def test_a_beginning_is_read_where_it_was_marked_and_for_five_minutes() -> None:
    cases: dict[str, tuple[dict[str, Any], float, bool]] = {
        "marked again": (body(LONG, "b", marks=(1,)), 1.0, True),
        "marked nowhere": (body(LONG, "b"), 1.0, False),
        "another beginning": (body("x" + LONG, "b", marks=(1,)), 1.0, False),
        "another model": (body(LONG, "b", marks=(1,), model="n"), 1.0, False),
        "too late": (body(LONG, "b", marks=(1,)), KEPT_S + 1, False),
        "at the edge of the look back": (body(LONG, *"b" * LOOKBACK, marks=(LOOKBACK,)), 1.0, True),
        "beyond it": (body(LONG, *"b" * (LOOKBACK + 1), marks=(LOOKBACK + 1,)), 1.0, False),
    }
    failures = []
    for name, (second, at_s, is_read) in cases.items():
        cache = PrefixCache()
        first = cache.charge(body(LONG, marks=(0,)), 0.0)
        charge = cache.charge(second, at_s)
        if first.stored != first.total or charge.read != (first.total if is_read else 0):
            failures.append((name, first, charge))
    assert not failures


def test_a_short_beginning_is_not_kept() -> None:
    cache = PrefixCache()
    charges = [cache.charge(body("short", marks=(0,)), 0.0) for _ in range(2)]
    assert [charge.fresh for charge in charges] == [charge.total for charge in charges]


def test_a_fifth_mark_and_an_empty_marked_block_are_refused() -> None:
    with pytest.raises(ValueError, match="maximum of 4 blocks"):
        PrefixCache().charge(body(*"abcde", marks=(0, 1, 2, 3, 4)), 0.0)
    with pytest.raises(ValueError, match="empty text blocks"):
        PrefixCache().charge(body("", marks=(0,)), 0.0)
