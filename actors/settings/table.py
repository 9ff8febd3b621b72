"""Table of the settings file, and the plainest kinds of values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Whole = Annotated[int, Field(strict=True)]
"""A whole number; text and floats are refused."""
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number; text is refused."""
Flag = Annotated[bool, Field(strict=True)]
"""True or false; text and numbers are refused."""


def rooted_folder(value: object) -> object:
    """Path of a folder; the validator of `Folder`.

    Raises:
        ValueError: the text is no path, or would depend on the current folder.
    """
    text = str(value) if isinstance(value, Path) else value
    if not isinstance(text, str) or text[:1] not in ("/", "~") or "\0" in text:
        raise ValueError("must be the path of a folder that begins with / or ~, in quotes")
    try:
        Path(text).expanduser()
    except RuntimeError:
        raise ValueError("must not begin with the ~ of a user without a home") from None
    return text


def _web_address(*schemes: str, may_be_empty: bool = False) -> AfterValidator:
    rule = "must be empty or" if may_be_empty else "must be"
    rule += f" an address that begins with {' or '.join(f'{s}://' for s in schemes)}, without query or fragment"

    def check(value: str) -> str:
        if may_be_empty and not value:
            return value
        try:
            url = urlsplit(value)
            fits = url.scheme in schemes and url.hostname and url.port != 0
        except ValueError as error:
            raise ValueError(rule) from error
        if not fits or re.search(r"[\s?#@\\]", value) or not value.isprintable():
            raise ValueError(rule)
        return value

    return AfterValidator(check)


def _without_slash(address: str) -> str:
    return address.rstrip("/")


HttpAddress = Annotated[str, _web_address("http", "https"), AfterValidator(_without_slash)]
OptionalHttpAddress = Annotated[str, _web_address("http", "https", may_be_empty=True), AfterValidator(_without_slash)]
WebSocketAddress = Annotated[str, _web_address("ws", "wss")]
Folder = Annotated[str, BeforeValidator(rooted_folder)]
"""Absolute path of a folder, or a path from a home on; the `~` stays until the folder is opened."""


class Table(BaseModel):
    """Table of the settings file."""

    model_config = ConfigDict(frozen=True, extra="forbid")
