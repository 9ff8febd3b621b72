"""Settings of what an operator looks at: the observer's page, and the log on stderr."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from actors.settings.table import Flag, Table, Whole


class Observer(Table):
    """Observer: a page on loopback that shows the actors at work; the data root's `observer.json` has its address."""

    enabled: Flag = False
    port: Whole = Field(default=0, ge=0, le=65_535)
    """0 for any free one."""


class Log(Table):
    """Log on stderr: what the actors do and what troubles them, never what people say."""

    format: Literal["text", "json"] = "text"
    """`json`: one object a line."""
