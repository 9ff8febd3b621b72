"""Switching of objects at the request of scripts: read, activate, deactivate, pin, unpin."""

from __future__ import annotations

from datetime import datetime

from actors.objects.answers import RefusalError, find_object, name_of, require_text, steps_of
from actors.objects.observer import Observer
from actors.objects.round import Round
from domain.objects.entries import Switched
from domain.objects.lines import shown_path
from domain.objects.versions import numbered_id
from messages.objects import ReadObject, SwitchObject

STATES = ("active", "inactive", "pinned", "unpinned")


def switch(round_: Round, request: SwitchObject) -> tuple[str, ...]:
    """Switch an object as requested, and return a description of the change.

    Raises:
        RefusalError: the object is missing, locked, or without text.
    """
    if request.to not in STATES:
        raise RefusalError(f"state {request.to!r}: one of {', '.join(STATES)} is needed")
    item = find_object(round_.objects, request.id)
    require_text(item, request)
    steps = steps_of(round_.objects, item, request.to)
    round_.take(Switched(object=name_of(item), to=request.to))
    return steps


def read_file(round_: Round, observer: Observer, request: ReadObject, now: datetime) -> tuple[str, ...]:
    """Index a file, make it present, and activate it; what was done in each of the three steps.

    Raises:
        RefusalError: it is not a regular file of the window's folder, or too many are known.
    """
    path = observer.inside(request.path)
    look = observer.looking.look(path, reads=True) if path else None
    if look is None:
        raise RefusalError(
            f"{shown_path(request.path)}: must be a regular file of your folder, of one name and reached by no link; "
            "copy it there"
        )
    objects = round_.objects
    file = objects.file_at(path)
    if file is None and len(objects.files) >= observer.max_files:
        raise RefusalError(
            f"{shown_path(path)}: {observer.max_files} files are known of this window, and no more may be"
        )
    name = file.version.object if file is not None else numbered_id("f", objects.last_file + 1)
    was_present = file is not None and file.is_present
    version = round_.see(name, look, now, "")
    no = objects.files[name].version.no
    indexed = f"indexed: {name} {shown_path(path)}, version {no}, {len(look.text or '')} characters"
    steps = [indexed if version is not None else f"indexed already: {name} {shown_path(path)}, version {no}"]
    steps.append(f"present {'already' if was_present else 'from now on'}: {name}")
    if look.status == "binary":
        return (*steps, f"not active: {name} is no UTF-8 text file, so only what is known about it is shown")
    steps += steps_of(objects, objects.files[name], "active")
    round_.take(Switched(object=name, to="active"))
    if look.status == "large":
        steps.append(f"only its beginning is kept and shown: it has {look.size} bytes")
    return tuple(steps)
