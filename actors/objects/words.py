"""Words of lists and histories of objects, for people."""

from __future__ import annotations

import json

from actors.part import Answer, Wording, Words
from messages.objects import HistoryTold, ObjectsCollected, ObjectsListed, VersionShown


def _list(reply: ObjectsListed, wording: Wording) -> Answer:
    lines = (
        f"{each.id:<6} {each.state:<11} {each.kind:<6} {each.chars:>8}  {wording.sanitise(each.about)}".rstrip()
        for each in reply.objects
    )
    return Answer("\n".join(lines))


def _history(reply: HistoryTold, wording: Wording) -> Answer:
    return Answer("\n".join([*map(_version, reply.versions), *([wording.sanitise(reply.note)] if reply.note else [])]))


def _version(row: VersionShown) -> str:
    version, text_state = row.version, "kept" if row.is_kept else "text not kept"
    return (
        f"{version.no:>5}  {version.valid_from:<32}  {version.status:<7} {version.size:>9}  {text_state:<13} "
        f"shown {row.shown:>3}  {version.content_hash[:12] or '-':<12}  {json.dumps(version.path)}"
    )


def _render_collection(reply: ObjectsCollected, _wording: Wording) -> Answer:
    freed = f"{reply.texts} texts thrown away, {reply.bytes_freed} bytes"
    return Answer(f"{freed}; the database has {reply.file_bytes} bytes")


COLLECTED = Words(reply=ObjectsCollected, answer=_render_collection)
LISTED = Words(reply=ObjectsListed, answer=_list)
HISTORY = Words(reply=HistoryTold, answer=_history)
