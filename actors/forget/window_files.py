"""Remover of the files that came with forgotten messages, and of the kept outputs of their commands."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

from actors.kernel import Actor, not_understood
from actors.linux.disk import Disk, RealDisk
from actors.linux.folder import open_folder, remove_tree
from domain.log.window import keeps_logs
from domain.log.window_folders import attachments_folder, output_folder, output_prefix
from messages.forget import ForgetDerived, answer_derived
from messages.socket import Refused


class WindowFilesActor(Actor):
    """Remover of windows' files, also without a running Discord actor or shell.

    Owns: no file; the discord room writes attachments, the shell room kept outputs, and both only add files.
    Asks: no actor.
    Crashes on: its own faults; a failed removal is a refusal, and the request is repeated.
    """

    def __init__(self, data_root: Path, disk: Disk | None = None) -> None:
        """Begin without removals.

        Args:
            data_root: Folder of the data.
            disk: Disk to write to; None for the real disk.
        """
        super().__init__()
        self._data_root = data_root
        self._disk = disk or RealDisk()

    def handle(self, message: ForgetDerived) -> None:
        """Remove the files of a request."""
        if not isinstance(message, ForgetDerived):
            not_understood(message)
        try:
            with self.blocking():
                count = self._remove_all(message)
        except OSError as error:
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason=f"a file stays: {error}"))
        else:
            self.tell(message.reply_to, answer_derived(message, self.address.kind, count))

    def _remove_all(self, request: ForgetDerived) -> int:
        window = request.window
        if not keeps_logs(window.surface, window.id):
            return 0
        folders = self._data_root / attachments_folder(window), self._data_root / output_folder(window)
        if request.whole_window:
            names = [os.listdir(folder) if folder.is_dir() else [] for folder in folders]  # noqa: PTH208
        else:
            names = [list(_messages(request)), list(self._outputs(request, folders[1]))]
        return sum(self._remove(folder, each) for folder, each in zip(folders, names, strict=True))

    def _outputs(self, request: ForgetDerived, folder: Path) -> Iterable[str]:
        """Names of kept outputs in the log, and of unlogged outputs of the same turns."""
        yield from (PurePath(path).name for each in request.events for path in each.outputs)
        turns = {each.turn_id for each in request.events if each.turn_id not in ("", each.event_id)}
        prefixes = tuple(map(output_prefix, turns))
        yield from (name for name in (os.listdir(folder) if folder.is_dir() else ()) if name.startswith(prefixes))  # noqa: PTH208

    def _remove(self, folder: Path, names: Iterable[str]) -> int:
        """Remove some entries of a folder, and return their number when all are gone from the disk.

        Raises:
            OSError: an entry may still be there.
        """
        if not folder.is_dir():
            return 0
        shelf = open_folder(str(folder))
        try:
            there = [name for name in dict.fromkeys(names) if name and os.path.lexists(folder / name)]
            for name in there:
                remove_tree(name, shelf)
        finally:
            os.close(shelf)
        if there:
            self._disk.sync_folder(folder)
        return len(there)


def _messages(request: ForgetDerived) -> Iterable[str]:
    """Ids of the messages with files, each with a folder of its own."""
    for event in request.events:
        yield event.message_id
        yield from (PurePath(path).parent.name for path in event.files if len(PurePath(path).parts) == 3)
