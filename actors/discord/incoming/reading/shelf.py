"""Shelf of a message: the place of its files on the disk, and reasons for missing files."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from actors.discord.incoming.attachment_store import discard, keep
from actors.discord.incoming.disk import Disk
from messages.base import Window

log = logging.getLogger(__name__)


class Shelf:
    """Place of a message's files on the disk."""

    def __init__(self, disk: Disk | None, window: Window, message_id: str) -> None:
        """Begin as an empty place; without a disk no file is kept, as where memory is off."""
        self.window = window
        self.message_id = message_id
        self._disk = disk
        self.hangs = ""
        """Fault reported for each file after the disk took too long for one."""
        self._reasons: set[str] = set()

    async def keep(self, files: Mapping[str, bytes | bytearray]) -> dict[str, str]:
        """Keep a file, and the text of a document beside it; return name -> reason for a failure."""
        if self._disk is None:
            return dict.fromkeys(files, "memory is off here, so files are not kept")
        if self._disk.data_root is None:
            return dict.fromkeys(files, "files are not kept here")
        faults = dict.fromkeys(files, self.hangs)
        if not self.hangs:
            faults = await self._keep(self._disk, self._disk.data_root, files)
        self._reasons.update(reason for reason in faults.values() if reason)
        return {name: f"it cannot be kept: {reason}" for name, reason in faults.items() if reason}

    async def discard(self) -> None:
        """Remove the message's files; a failure is logged."""
        if self._disk is None or self._disk.data_root is None:
            return
        place, key = (self._disk.data_root, self.window, self.message_id), self.window.address.key
        try:
            await self._disk.threads.run(key, self._disk.timeout_s, discard, *place)
        except OSError as error:
            reason = error.strerror or error
            log.error("files of message %s in window %s cannot be removed: %s", self.message_id, key, reason)

    def report(self) -> None:
        """Log once for each reason why files were not kept."""
        for reason in sorted(self._reasons):
            log.warning("attached files of window %s cannot be kept: %s", self.window.address.key, reason)

    async def _keep(self, disk: Disk, data_root: Path, files: Mapping[str, bytes | bytearray]) -> dict[str, str]:
        key = self.window.address.key
        try:
            return await disk.threads.run(key, disk.timeout_s, keep, data_root, self.window, self.message_id, files)
        except TimeoutError as error:
            reason = self.hangs = error.strerror or str(error)
        except (OSError, ValueError) as error:
            reason = str(getattr(error, "strerror", None) or error)
        except Exception as error:
            log.exception("attached files of window %s could not be kept", key)
            reason = f"keeping it went wrong with {type(error).__name__}"
        return dict.fromkeys(files, reason)
