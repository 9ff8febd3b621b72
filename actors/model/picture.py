"""Data URLs: images of a request as a server is given them."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from actors.linux.safe_open import open_beneath
from domain.turn.attachments import LONGEST_IMAGE_BYTES, image_type
from messages.model import ImageFile


def data_url(workdir: str, image: ImageFile) -> str:
    """The image as a `data:` address.

    Commands of the window may have put anything in its place, so it is opened and judged as a stranger's file.

    Raises:
        ValueError: there is no such image any more; says why.
    """
    try:
        opened = open_beneath(Path(workdir), image.path, LONGEST_IMAGE_BYTES)
    except OSError as error:
        raise ValueError(f"the working directory cannot be opened: {error.strerror}") from error
    try:
        with os.fdopen(opened, "rb") as file:
            data = file.read(LONGEST_IMAGE_BYTES)
    except OSError as error:
        raise ValueError(f"file {image.path!r} cannot be read: {error.strerror}") from error
    if image_type(data) != image.media_type:
        raise ValueError(f"file {image.path!r} is no {image.media_type} any more")
    return f"data:{image.media_type};base64,{base64.b64encode(data).decode('ascii')}"


def refuse_image(_workdir: str, _image: ImageFile) -> str:
    """What takes the place of `data_url` for a model that takes no images.

    Raises:
        ValueError: always.
    """
    raise ValueError("this model takes no images")
