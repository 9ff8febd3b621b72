"""Table of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lab.load.profiles.bash import BASH
from lab.load.profiles.burst import BURST
from lab.load.profiles.churn import CHURN
from lab.load.profiles.known import KNOWN
from lab.load.profiles.layers import LAYERS
from lab.load.profiles.long import LONG
from lab.load.profiles.noisy import NOISY
from lab.load.profiles.profile import Profile
from lab.load.profiles.ramp import RAMP
from lab.load.profiles.steady import STEADY

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {each.name: each for each in (BURST, STEADY, NOISY, LONG, RAMP, BASH, LAYERS, CHURN, KNOWN)}
)
"""By name."""
