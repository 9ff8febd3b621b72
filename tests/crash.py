"""Message over which any actor that describes itself crashes, for tests of what comes after a crash."""

from __future__ import annotations

from typing import Any

from messages.base import RequestId
from messages.status import DescribeYourself

_NOBODY: Any = []
CRASH = DescribeYourself(request_id=RequestId("crash"), reply_to=_NOBODY)
"""Wants to be answered where nobody can be."""
