"""Wording of forgetting for people: previews, results, and places out of the agent's reach."""

from __future__ import annotations

from actors.part import Answer, Button, Wording
from messages.forget import (
    ExpiredForgotten,
    ForgetCarriedOut,
    ForgetPreviewed,
    ForgetRecord,
    ForgetsListed,
    RoomCount,
    ScopeKind,
)

_EXCERPT = 120
CONFIRM_PREFIX = "forget:"
"""Prefix of the confirming button's custom id; the preview's id follows."""


def answer_preview(reply: ForgetPreviewed, wording: Wording) -> Answer:
    """Size of a request, with the button to confirm."""
    if reply.kind is ScopeKind.WINDOW:
        head = f"This would forget everything that was ever said here: {_count(reply)}."
    else:
        head = f"This would forget {_count(reply)}."
    lines = [head, *(f"- {wording.quote(text, _EXCERPT)}" for text in reply.excerpts)]
    if reply.repeated:
        lines.append(wording.note(f"{reply.repeated} of them repeat such words word for word."))
    if reply.is_partial:
        lines.append(wording.note("The search may have more on this topic: ask again afterwards."))
    if reply.withheld:
        lines.append(wording.note(f"{reply.withheld} more are by other people; those stay."))
    lines.append(
        wording.note("With a message go its edits, quotations, files, answers and results. It cannot be undone.")
    )
    return Answer("\n".join(lines), (Button(label="Forget", custom_id=f"{CONFIRM_PREFIX}{reply.preview_id}"),))


def answer_carried_out(reply: ForgetCarriedOut, wording: Wording) -> Answer:
    """Result of a request."""
    if reply.waiting_for:
        head = (
            f"Not finished yet: {_join(reply.waiting_for)} did not answer yet and will be asked again until done. "
            f"The request is `{reply.forget_id}`."
        )
    else:
        head = f"Forgotten: {_plural(reply.events, 'record')} in the logs."
    rooms = [_room(each) for each in reply.rooms if each.room != "logs" and (each.count or each.note)]
    lines = [head, *([f"Taken out besides: {', '.join(rooms)}."] if rooms else [])]
    return Answer("\n".join([*lines, *(wording.note(each) for each in reply.elsewhere)]))


def answer_expired(reply: ExpiredForgotten, wording: Wording) -> Answer:
    """Result of a run over all windows."""
    lines = [f"Expired and forgotten: {_plural(reply.events, 'record')} of {_plural(reply.windows, 'window')}."]
    if reply.failed:
        lines.append(wording.note(f"Not done yet, and tried again: {_join(reply.failed)}."))
    return Answer("\n".join(lines))


def answer_list(reply: ForgetsListed, wording: Wording) -> Answer:
    """Records of requests, for the operator."""
    return Answer("\n".join(_record(each, wording) for each in reply.forgets) or "Nothing was ever forgotten here.")


def _record(record: ForgetRecord, wording: Wording) -> str:
    rooms = ", ".join(_room(each) for each in record.rooms) or "nothing yet"
    why = f", because: {wording.quote(record.why, 200)}" if record.why else ""
    waits = f"; waiting for {_join(record.waiting_for)}" if record.waiting_for else ""
    return (
        f"{record.forget_id}  {wording.moment(record.asked_at, 'F')}  {record.kind.value} in {record.window}  "
        f"by {record.by}{why}\n    {record.state.value}: {rooms}{waits}"
    )


def _count(reply: ForgetPreviewed) -> str:
    windows = f" in {len(reply.windows)} windows" if len(reply.windows) > 1 else ""
    people = f", by {_plural(reply.people, 'person', 'people')}" if reply.people else ""
    return f"{_plural(reply.events, 'record')}{windows}{people}"


def _room(count: RoomCount) -> str:
    return f"{count.room} {count.count}" + (f" ({count.note})" if count.note else "")


def _join(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _plural(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
