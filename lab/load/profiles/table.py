"""Table of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lab.load.profiles.profile import Profile
from lab.load.profiles.traffic import BASH, BURST, LAYERS, NOISY, RAMP, STEADY
from lab.load.profiles.windows import CHURN, KNOWN, LONG

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {each.name: each for each in (BURST, STEADY, NOISY, LONG, RAMP, BASH, LAYERS, CHURN, KNOWN)}
)
"""By name."""
