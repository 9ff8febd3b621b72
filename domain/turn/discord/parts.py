"""Parts of a message beside its text: stickers, polls, embeds, components and files, each as lines of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from domain.text.mention import NameOf, with_names
from domain.turn.discord.wire import Wire, id_at, label, list_block, number_at, object_at, objects_at, text_at

_DEEPEST = 6
"""Levels of components; Discord nests four."""
_IS_VOICE = 1 << 13
_POLL_RESULT = "poll_result"

_ROW, _BUTTON, _SELECT, _SECTION, _TEXT, _THUMBNAIL, _GALLERY, _FILE, _SEPARATOR = 1, 2, 3, 9, 10, 11, 12, 13, 14
_CONTAINER, _LABEL = 17, 18
_SELECTS = frozenset({_SELECT, 5, 6, 7, 8})
_HOLDERS = frozenset({_ROW, _SECTION, _CONTAINER})


def sticker_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Name of each sticker."""
    del name_of
    seen: set[str] = set()
    for key in ("sticker_items", "stickers"):
        for sticker in objects_at(message, key):
            number = id_at(sticker, "id")
            if number not in seen:
                seen.add(number)
                words = ", ".join(filter(None, (text_at(sticker, "name"), text_at(sticker, "description"))))
                yield f"[sticker: {label(words) or 'without a name'}]"


def poll_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Question, answers and votes of a poll."""
    poll = object_at(message, "poll")
    if not poll:
        return
    results = object_at(poll, "results")
    counts = {number_at(each, "id"): number_at(each, "count") for each in objects_at(results, "answer_counts")}
    is_over = results.get("is_finalized") is True
    answers = []
    for place, answer in enumerate(objects_at(poll, "answers"), 1):
        number = number_at(answer, "answer_id") or place
        votes = _votes(counts.get(number, 0)) if results else ""
        words = " ".join(filter(None, (_emoji(object_at(object_at(answer, "poll_media"), "emoji")), _media(answer))))
        answers.append(f"{place}. {with_names(words, name_of) or 'without words'}{votes and f': {votes}'}")
    several = "several answers may be chosen" if poll.get("allow_multiselect") is True else ""
    until = "the poll is closed" if is_over else _until(text_at(poll, "expiry"))
    question = label(with_names(text_at(object_at(poll, "question"), "text"), name_of))
    yield from list_block(f"poll: {question}", [*answers, *filter(None, ("; ".join(filter(None, (several, until))),))])


def embed_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Words of each embed: author, title, description, fields, footer; of a poll's result the question and winner."""
    for embed in objects_at(message, "embeds"):
        if text_at(embed, "type") == _POLL_RESULT:
            yield from _poll_result(embed, name_of)
            continue
        author, footer = object_at(embed, "author"), object_at(embed, "footer")
        provider = text_at(object_at(embed, "provider"), "name")
        fields = (f"{text_at(each, 'name')}: {text_at(each, 'value')}" for each in objects_at(embed, "fields"))
        words = (text_at(author, "name"), text_at(embed, "title"), text_at(embed, "description"), *fields)
        pictures = (_picture(object_at(embed, key)) for key in ("image", "thumbnail", "video"))
        ends = (text_at(footer, "text"), text_at(embed, "url"), *pictures)
        lines = [with_names(each, name_of) for each in (*words, *ends) if each.strip(" :")]
        yield from list_block(f"embed: {label(provider)}" if provider else "embed:", lines or ["without words"])


def component_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Words of components: texts, labels of buttons, choices; a component of an unknown kind is named."""
    lines = [with_names(each, name_of) for each in _components(message, "components", _DEEPEST)]
    if lines:
        yield from list_block("components:", lines)


def voice_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Length of a voice message."""
    del name_of
    if is_voice(message):
        seconds = [each.get("duration_secs") for each in objects_at(message, "attachments")]
        known = next((each for each in seconds if isinstance(each, int | float)), None)
        yield "[voice message: its words are not known]" if known is None else f"[voice message: {known:g} s of speech]"


def is_voice(message: Wire) -> bool:
    """True for a voice message: one recording without text."""
    return bool(number_at(message, "flags") & _IS_VOICE)


def activity_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Invitation to an activity."""
    del name_of
    if object_at(message, "activity"):
        yield f"[invitation: {label(text_at(object_at(message, 'application'), 'name')) or 'to an activity'}]"


def file_lines(message: Wire, name_of: NameOf) -> Iterator[str]:
    """Name, title and description of each file."""
    del name_of
    for file in objects_at(message, "attachments"):
        yield f"[attachment: {', '.join(filter(None, (label(each) for each in _file(file))))}]"


PARTS: tuple[Callable[[Wire, NameOf], Iterator[str]], ...] = (
    sticker_lines,
    poll_lines,
    embed_lines,
    component_lines,
    voice_lines,
    activity_lines,
)
"""All parts of a message but its files, in order."""


def _components(holder: Wire, key: str, depth: int) -> Iterator[str]:
    for component in objects_at(holder, key):
        yield from _component(component, depth)


def _component(component: Wire, depth: int) -> Iterator[str]:
    """Texts of a component and of all nested components."""
    kind = number_at(component, "type")
    if depth == 0:
        yield "further components are left out"
    elif kind == _TEXT:
        yield text_at(component, "content")
    elif kind == _CONTAINER and component.get("spoiler") is True:
        texts = _components(component, "components", depth - 1)
        yield from (f"||{line.replace('||', '')}||" for text in texts for line in text.splitlines() if line.strip())
    elif kind in _HOLDERS:
        yield from _components(component, "components", depth - 1)
        if accessory := object_at(component, "accessory"):
            yield from _component(accessory, depth - 1)
    elif kind == _BUTTON:
        words = (text_at(component, "label") or _emoji(object_at(component, "emoji")), text_at(component, "url"))
        yield f"button: {' '.join(filter(None, words)) or 'without a label'}"
    elif kind in _SELECTS:
        choices = ", ".join(text_at(each, "label") for each in objects_at(component, "options"))
        yield f"choice: {': '.join(filter(None, (text_at(component, 'placeholder'), choices))) or 'without words'}"
    elif kind == _THUMBNAIL:
        yield _picture_line(component)
    elif kind == _GALLERY:
        yield from map(_picture_line, objects_at(component, "items"))
    elif kind == _FILE:
        name = text_at(component, "name") or text_at(object_at(component, "file"), "url").removeprefix("attachment://")
        yield f"file: {name or 'without a name'}"
    elif kind == _LABEL:
        yield " ".join(filter(None, (text_at(component, "label"), text_at(component, "description"))))
        yield from _component(object_at(component, "component"), depth - 1)
    elif kind != _SEPARATOR:
        known = (text_at(component, each) for each in ("label", "title", "content", "description"))
        yield f"component of an unknown kind ({kind}): {', '.join(filter(None, known)) or 'without words'}"


def _picture_line(component: Wire) -> str:
    return f"picture: {text_at(component, 'description') or 'without a description'}"


def _poll_result(embed: Wire, name_of: NameOf) -> Iterator[str]:
    fields = {text_at(each, "name"): text_at(each, "value") for each in objects_at(embed, "fields")}
    winner, votes = fields.get("victor_answer_text", ""), fields.get("victor_answer_votes", "")
    total = fields.get("total_votes", "")
    emoji = fields.get("victor_answer_emoji_name", "")
    most = f"most votes: {' '.join(filter(None, (emoji, winner)))}" if winner or emoji else "no answer has most votes"
    counted = f"{votes or '0'} of {total or '0'} votes"
    question = label(with_names(fields.get("poll_question_text", ""), name_of))
    yield from list_block(f"poll that is over: {question}", [with_names(f"{most}, {counted}", name_of)])


def _media(answer: Wire) -> str:
    return text_at(object_at(answer, "poll_media"), "text")


def _emoji(emoji: Wire) -> str:
    name, number = text_at(emoji, "name"), id_at(emoji, "id")
    return f":{name}:" if name and number else name


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count:,} votes"


def _until(expiry: str) -> str:
    try:
        return f"open until {datetime.fromisoformat(expiry):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return ""


def _picture(picture: Wire) -> str:
    words = text_at(picture, "description")
    return f"picture: {words}" if words else ""


def _file(file: Wire) -> Iterator[str]:
    yield text_at(file, "filename") or "unnamed"
    yield f"{number_at(file, 'size'):,} bytes"
    yield text_at(file, "content_type")
    yield text_at(file, "title")
    yield text_at(file, "description")
