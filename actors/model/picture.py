"""Data URLs: images of a request in the form for a server."""

from __future__ import annotations

import base64
from pathlib import Path

from actors.linux.safe_open import read_beneath
from domain.log.pointer import beneath
from domain.log.window_folders import ATTACHMENTS_ROOT
from domain.turn.attachments import LONGEST_IMAGE_BYTES, image_type
from messages.model import ImageFile


def data_url(folder: str, image: ImageFile) -> str:
    """The image as a `data:` address.

    The folder is the agent's own, but people sent its content: the image is opened and judged as a stranger's file.

    Args:
        folder: Folder of the window's attachments; empty for none.
        image: Image of a message of the window.

    Raises:
        ValueError: the image is gone; the text gives the reason.
    """
    name = beneath(ATTACHMENTS_ROOT, image.path)
    if not folder or name is None:
        raise ValueError(f"file {image.path!r}: it must be an attachment of this conversation")
    try:
        data = read_beneath(Path(folder), name, LONGEST_IMAGE_BYTES)
    except FileNotFoundError as error:
        raise ValueError(f"file {image.path!r}: there is no such file") from error
    except OSError as error:
        raise ValueError(f"the folder of attachments cannot be opened: {error.strerror}") from error
    if image_type(data) != image.media_type:
        raise ValueError(f"file {image.path!r} is no longer {image.media_type}")
    return f"data:{image.media_type};base64,{base64.b64encode(data).decode('ascii')}"


def refuse_image(_folder: str, _image: ImageFile) -> str:
    """Replacement of `data_url` for a model that takes no images.

    Raises:
        ValueError: always.
    """
    raise ValueError("this model takes no images")


def lose_image(_folder: str, _image: ImageFile) -> str:
    """Replacement of `data_url` while the disk hangs.

    Raises:
        ValueError: always.
    """
    raise ValueError("it could not be read in time")
