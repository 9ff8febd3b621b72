"""Table of the settings file, and the plainest kinds of values in one."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Whole = Annotated[int, Field(strict=True)]
"""A whole number, and nothing that can be read as one."""
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number, and nothing that can be read as one."""
Flag = Annotated[bool, Field(strict=True)]
"""True or false, and nothing that can be read as them."""


class Table(BaseModel):
    """One table of the settings file."""

    model_config = ConfigDict(frozen=True, extra="forbid")
