"""Faults of the gateway that wait for their occasion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class GatewayFaults:
    """Faults of the gateway from now on; numbers count down."""

    refuse_resumes: int = 0
    """RESUMEs answered by op 9 false."""
    ignore_resumes: int = 0
    """RESUMEs that get no answer at all."""
    duplicate_after_resume: int = 0
    """RESUMEs after which the newest MESSAGE_CREATE comes a second time."""
    ignore_heartbeats: bool = False
