"""Answers about a window's objects by the state alone, and rules of changes of an object."""

from __future__ import annotations

from collections.abc import Iterator

from domain.objects.lines import shown_path
from domain.objects.state import FileObject, Output, WindowObjects
from domain.objects.versions import number_of
from messages.objects import ListObjects, ObjectLine, ObjectsListed, SwitchObject

MOST = 200
"""Most objects of a list."""
LOCKED = ("chat", "system", "memory", "curated", "soul", "agents")
"""Names of unchangeable objects: the conversation, the instructions, the blocks of other kinds of memory."""
_FIRST = ("chat", "system")
"""Locked objects at the head of a list."""
KINDS = ("all", "files", "outputs", "active")
_DONE = {
    "active": "active: {id}, its text follows with this result",
    "inactive": "inactive: {id}, only its reference is shown from the next request on",
    "pinned": "pinned: {id}, its text stays until it is unpinned",
    "unpinned": "unpinned: {id}, it ages like everything else",
}
_IS_SHOWN = "active: {id}, its text is shown already"


class RefusalError(ValueError):
    """Refusal of a request; the text is the reason."""


def find_object(objects: WindowObjects, name: str) -> FileObject | Output:
    """Object of a name; the file, for an output that shows a file.

    Raises:
        RefusalError: the name is unknown in this session, or locked.
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


def name_of(item: FileObject | Output) -> str:
    """Name of an object."""
    return item.version.object if isinstance(item, FileObject) else item.object


def require_text(item: FileObject | Output, message: SwitchObject) -> None:
    """Require a text for showing.

    Raises:
        RefusalError: the object has no text.
    """
    if isinstance(item, Output) or message.to not in ("active", "pinned"):
        return
    name, status = item.version.object, item.version.status
    if status == "missing":
        raise RefusalError(f"{name} is missing: {shown_path(item.version.path)} is not there; show {name} --version N")
    if status == "binary":
        raise RefusalError(f"{name} has no text: {shown_path(item.version.path)} is no UTF-8 text file")


def steps_of(objects: WindowObjects, item: FileObject | Output, to: str) -> tuple[str, ...]:
    """Lines that announce a switch."""
    name = name_of(item)
    if to == "active" and objects.is_shown(name) and _is_active(item):
        return (_IS_SHOWN.format(id=name),)
    return (_DONE[to].format(id=name),)


def list_objects(objects: WindowObjects, message: ListObjects) -> ObjectsListed:
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
    active = {slot.object for slot in objects.slots}
    for name, file in objects.files.items():
        version = file.version
        about = f"{shown_path(version.path)}, version {version.no}"
        about += "" if version.status == "text" else f", {version.status}"
        yield ObjectLine(id=name, kind="file", state=_state(file, active), about=about, chars=file.chars)
    for output in objects.outputs.values():
        state = _state(objects.files[output.alias] if output.alias else output, active)
        about = f"is {output.alias}" if output.alias else output.command
        yield ObjectLine(id=output.object, kind="output", state=state, about=about, chars=output.chars)


def _state(item: FileObject | Output, active: set[str]) -> str:
    if isinstance(item, FileObject) and not item.is_present:
        return "not present"
    if isinstance(item, FileObject) and item.version.status == "missing":
        return "missing"
    if item.is_pinned:
        return "pinned"
    return "active" if name_of(item) in active else "inactive"


def _is_active(item: FileObject | Output) -> bool:
    return item.is_active if isinstance(item, FileObject) else not item.is_put_away
