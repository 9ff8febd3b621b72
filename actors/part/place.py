"""Place of what comes with the agent."""

from __future__ import annotations

from pathlib import Path

SHIPPED_SKILLS = Path(__file__).resolve().parents[2] / "skills"
"""The skills that come with the agent, beside its packages in a checkout and in an installation."""
