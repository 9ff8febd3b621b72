"""Settings of the operator's own machine: the observer's page, the log on stderr, and models that run there."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from actors.settings.table import Flag, Folder, Number, Table, Whole


class Observer(Table):
    """Observer: a page on loopback that shows the actors at work; the data root's `observer.json` has its address."""

    enabled: Flag = False
    port: Whole = Field(default=0, ge=0, le=65_535)
    """0 for any free one."""


class Log(Table):
    """Log on stderr: work and trouble of the actors, never words of people."""

    format: Literal["text", "json"] = "text"
    """`json`: one object a line."""


class LocalModel(Table):
    """Language models on this machine, `local/...`; need the extra `local-model`."""

    folder: Folder = "~/.local/share/remembrancer/models"
    """Folder of the models' files, for all agents of its user."""
    threads: Whole = Field(default=0, ge=0, le=1_024)
    """Number of computing threads; 0 for one per processor."""
    context_tokens: Whole = Field(default=8_192, ge=512, le=1_000_000)
    """Longest conversation with its answer; takes memory for each answer at once."""
    at_once: Whole = Field(default=2, ge=1, le=64)
    """Answers at once."""
    cache_mib: Whole = Field(default=1_024, ge=0, le=1_000_000)
    """Memory for prompts of conversations that rest."""
    start_timeout_s: Number = Field(default=120.0, gt=0, le=600)
    """Time for loading a model."""
