"""Table of the settings file, and the plainest kinds of values in one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Whole = Annotated[int, Field(strict=True)]
"""A whole number; text and floats are refused."""
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number; text is refused."""
Flag = Annotated[bool, Field(strict=True)]
"""True or false; text and numbers are refused."""


def rooted_folder(value: object) -> object:
    """The path of a folder; the validator of `Folder`.

    Raises:
        ValueError: it is none, or would depend on the current folder.
    """
    text = str(value) if isinstance(value, Path) else value
    if not isinstance(text, str) or text[:1] not in ("/", "~") or "\0" in text:
        raise ValueError("must be the path of a folder that begins with / or ~, in quotes")
    try:
        Path(text).expanduser()
    except RuntimeError:
        raise ValueError("must not begin with the ~ of a user without a home") from None
    return text


Folder = Annotated[str, BeforeValidator(rooted_folder)]
"""A folder's absolute path, or one from a home on; the `~` stays until the folder is opened."""


class Table(BaseModel):
    """One table of the settings file."""

    model_config = ConfigDict(frozen=True, extra="forbid")
