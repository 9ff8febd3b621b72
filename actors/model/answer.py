"""Reports of errors in answers, as faults."""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from domain.policy.retrying import Fault, classify

_STATUS = re.compile("[45][0-9]{2}")
_REFUSAL = re.compile(r"invalid.?(request|argument|param)|bad.?request|validation", re.IGNORECASE)
"""Name of an error's type, where the server's status would have been 400."""
_STATUS_OF_ERRORS = 500
"""Of an error in an answer that names no status of its own."""


def reported_fault(error: object, now: datetime) -> Fault:
    """The fault that a server reports in an answer whose status is well."""
    words = error if isinstance(error, str) else msgspec.json.encode(error).decode()
    return classify(("APIStatusError",), _status_in(error) or _STATUS_OF_ERRORS, words, {}, now)


def _status_in(error: object) -> int:
    """The HTTP status that a server's report of an error names as its code, or by its type; 0 for none."""
    said = error if isinstance(error, dict) else {}
    code = str(said.get("code"))
    if _STATUS.fullmatch(code):
        return int(code)
    return 400 if _REFUSAL.search(f"{code} {said.get('type')} {said.get('status')}") else 0
