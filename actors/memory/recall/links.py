"""Links to the messages behind memories: the log knows the message, the readership its server."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from actors.memory.recall.line_offsets import LineOffsets
from actors.memory.search.views import shown_log
from domain.log.metadata import meta_dict
from domain.log.window import parse_log_path
from domain.policy.known_readers import KnownReaders
from messages.base import Surface

ADDRESS = "https://discord.com/channels/{server}/{channel}/{message}"
_OWN_SERVER = "@me"
"""In place of a server, for direct messages."""
_BEFORE, _BEHIND = b"<!-- ", b" -->"
_LONGEST = 65_536
"""Bytes of a heading or of the metadata below."""


class MessageLinks:
    """Links to messages in Discord."""

    def __init__(self, data_root: Path, readers: KnownReaders) -> None:
        """Begin without reading.

        Args:
            data_root: Folder of the logs.
            readers: Readership of each window, with its server.
        """
        self._data_root = data_root
        self._readers = readers
        self._offsets = LineOffsets()

    def find(self, path: str, line: int) -> str:
        """Link to the message at a place of the logs; empty for an answer, and where message or server is unknown."""
        window, _ = parse_log_path(PurePosixPath(path))
        readers = self._readers.of(window.address.key)
        server = _OWN_SERVER if window.surface is Surface.DISCORD_DM else readers.guild_id if readers else ""
        if not server:
            return ""
        try:
            message = self._message_at(shown_log(self._data_root, path), line)
        except (OSError, ValueError):  # gone or damaged: the place itself is shown all the same
            return ""
        return ADDRESS.format(server=server, channel=window.id, message=message) if message else ""

    def _message_at(self, path: Path, line: int) -> str:
        """Id of the message in the record on `line`; empty for an unknown id."""
        with path.open("rb") as file:
            heading = self._offsets.find(file, path, line)
            if heading is None:
                return ""
            file.seek(heading)
            file.readline(_LONGEST)
            metadata = file.readline(_LONGEST).strip()
        message = meta_dict(metadata.removeprefix(_BEFORE).removesuffix(_BEHIND).decode()).get("message_id")
        return message if isinstance(message, str) and message.isdecimal() else ""
