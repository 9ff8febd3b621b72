"""Reasons why no test can notice a mutant: what it changes cannot be seen from anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A mutant, named so that lines may move."""

    module: str
    within: str
    what: str


REASONS: Mapping[Key, str] = {}
"""Mutant -> why it changes nothing that counts."""
