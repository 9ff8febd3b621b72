"""Answers about a window's objects that the state alone can give, and rules of what may become of an object."""

from __future__ import annotations

from collections.abc import Iterator

from domain.objects.lines import shown_path
from domain.objects.state import FileObject, Output, WindowObjects
from domain.objects.versions import number_of
from messages.objects import ListObjects, ObjectLine, ObjectsListed, SwitchObject

MOST = 200
"""Objects of one list."""
LOCKED = ("chat", "system", "memory", "curated", "soul", "agents")
"""Names of what always is as it is: the conversation, the instructions, the blocks of other kinds of memory."""
_FIRST = ("chat", "system")
"""Those of them that a list has, before everything else."""
KINDS = ("all", "files", "outputs", "active")
_DONE = {
    "active": "active: {id}, its text follows with this result",
    "inactive": "inactive: {id}, only its reference is shown from the next request on",
    "pinned": "pinned: {id}, its text stays until it is unpinned",
    "unpinned": "unpinned: {id}, it ages like everything else",
}
_IS_SHOWN = "active: {id}, its text is shown already"


class RefusalError(ValueError):
    """Nothing is done; the text says why."""


def known(objects: WindowObjects, name: str) -> FileObject | Output:
    """The object of that name; a file for an output that is one.

    Raises:
        RefusalError: there is none in this session, or it is locked.
    """
    if name in LOCKED:
        raise RefusalError(f"{name} is locked: it is shown as it is, and cannot be changed")
    if (file := objects.files.get(name)) is not None and file.is_present:
        return file
    output = objects.output_called(name)
    if output is None:
        _require_name(name)
        raise RefusalError(f"object {name!r}: none of this conversation has that name; list shows what there is")
    return objects.files[output.alias] if output.alias else output


def _require_name(name: str) -> None:
    try:
        number_of(name)
    except ValueError as error:
        raise RefusalError(str(error)) from None


def name_of(found: FileObject | Output) -> str:
    """The name of an object."""
    return found.version.object if isinstance(found, FileObject) else found.object


def require_text(found: FileObject | Output, message: SwitchObject) -> None:
    """Return if an object has a text that could be shown.

    Raises:
        RefusalError: it has none.
    """
    if isinstance(found, Output) or message.to not in ("active", "pinned"):
        return
    name, status = found.version.object, found.version.status
    if status == "missing":
        raise RefusalError(f"{name} is missing: {shown_path(found.version.path)} is not there; show {name} --version N")
    if status == "binary":
        raise RefusalError(f"{name} has no text: {shown_path(found.version.path)} is no UTF-8 text file")


def steps_of(objects: WindowObjects, found: FileObject | Output, to: str) -> tuple[str, ...]:
    """What is said of a switch, before it is made."""
    name = name_of(found)
    if to == "active" and objects.is_shown(name) and _is_active(found):
        return (_IS_SHOWN.format(id=name),)
    return (_DONE[to].format(id=name),)


def listed(objects: WindowObjects, message: ListObjects) -> ObjectsListed:
    """Objects of a kind, files first, in the order of their numbers.

    Raises:
        RefusalError: `after` is no object's name.
    """
    if message.kind not in KINDS:
        raise RefusalError(f"kind {message.kind!r}: one of {', '.join(KINDS)} is needed")
    if message.after not in ("", *_FIRST):
        _require_name(message.after)
    lines = [line for line in _lines(objects) if _fits(line, message.kind)]
    if message.after:
        place = _place(message.after)
        lines = [line for line in lines if _place(line.id) > place]
    return ObjectsListed(request_id=message.request_id, objects=tuple(lines[:MOST]), is_all=len(lines) <= MOST)


def _place(name: str) -> tuple[int, int]:
    return (0, _FIRST.index(name)) if name in _FIRST else (1 + (name[0] == "t"), int(name[1:]))


def _fits(line: ObjectLine, kind: str) -> bool:
    match kind:
        case "files":
            return line.kind == "file"
        case "outputs":
            return line.kind == "output"
        case "active":
            return line.state in ("active", "pinned")
        case _:
            return True


def _lines(objects: WindowObjects) -> Iterator[ObjectLine]:
    yield ObjectLine(id="chat", kind="chat", state="locked", about="this conversation", chars=0)
    yield ObjectLine(id="system", kind="system", state="locked", about="the instructions", chars=0)
    shown = {slot.object for slot in objects.slots}
    for name, file in objects.files.items():
        version = file.version
        about = f"{shown_path(version.path)}, version {version.no}"
        about += "" if version.status == "text" else f", {version.status}"
        yield ObjectLine(id=name, kind="file", state=_state(file, shown), about=about, chars=file.chars)
    for output in objects.outputs.values():
        state = _state(objects.files[output.alias] if output.alias else output, shown)
        about = f"is {output.alias}" if output.alias else output.command
        yield ObjectLine(id=output.object, kind="output", state=state, about=about, chars=output.chars)


def _state(found: FileObject | Output, shown: set[str]) -> str:
    if isinstance(found, FileObject) and not found.is_present:
        return "not present"
    if isinstance(found, FileObject) and found.version.status == "missing":
        return "missing"
    if found.is_pinned:
        return "pinned"
    return "active" if name_of(found) in shown else "inactive"


def _is_active(found: FileObject | Output) -> bool:
    return found.is_active if isinstance(found, FileObject) else not found.is_put_away
