"""Checker of Prometheus' text form, and calls to count."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from messages.model import CallKind, CallOutcome, CallSpent

_HEAD = re.compile(r"# (?P<what>HELP|TYPE) (?P<name>[a-z_]+) (?P<rest>.+)")
_LABEL = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
_SAMPLE = re.compile(rf"(?P<key>(?P<name>[a-z_]+)(?:\{{{_LABEL}(?:,{_LABEL})*\}})?) (?P<value>\S+)")
_ENDINGS = ("_bucket", "_sum", "_count")


def read_metrics(text: str) -> dict[str, float]:
    """Samples of an exposition by name and labels; an assertion fails on a malformed line.

    Each family has one HELP, then one TYPE, then its samples; no family comes twice.
    """
    assert text.endswith("\n")
    samples: dict[str, float] = {}
    heads: list[tuple[str, str]] = []
    kind = ""
    for line in text.splitlines():
        if (head := _HEAD.fullmatch(line)) is not None:
            assert (head["what"], head["name"]) not in heads, line
            heads.append((head["what"], head["name"]))
            if head["what"] == "TYPE":
                assert heads[-2:-1] == [("HELP", head["name"])], line
                kind = head["rest"]
                assert kind in ("gauge", "counter", "histogram"), line
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample is not None, line
        name = sample["name"]
        if kind == "histogram":
            ending = next(each for each in _ENDINGS if name.endswith(each))
            name = name.removesuffix(ending)
        assert heads[-1] == ("TYPE", name), line
        assert (kind == "counter") == name.endswith("_total"), line
        assert sample["key"] not in samples, line
        samples[sample["key"]] = float(sample["value"])
    return samples


def usage_of(
    model: str,
    *,
    took_s: float = 0.0,
    outcome: CallOutcome = CallOutcome.ANSWERED,
    kind: CallKind = CallKind.MODEL,
) -> CallSpent:
    """A call of 10 tokens, 4 of them cached, and 2 of an answer, for a quarter of a dollar."""
    return CallSpent(
        at=datetime(2026, 1, 30, tzinfo=UTC),
        kind=kind,
        owner="w",
        call_id="c",
        attempt=1,
        model=model,
        prompt_tokens=10,
        cached_tokens=4,
        completion_tokens=2,
        cost_usd=0.25,
        outcome=outcome,
        took_s=took_s,
    )
