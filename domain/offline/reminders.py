"""Reminder wishes: meaning of a line that begins with `remind me`, as the offline model understands it.

The grammar is the grammar of the reminders file and no more: a wish that the file cannot hold, or with unreadable time
words, is reported, and so is refused instead of posted at a time other than intended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from domain.offline.moments import unread_moment
from domain.text.mention import ADDRESSED

_JOINS = "(?:to|that|of|about) "
_REMIND = re.compile(
    rf"(?:please,? )?remind me (?P<joined>{_JOINS})?(?P<words>.+?)(?:,? (?:please|thanks|thank you))?[.!?]*",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"(?:^|(?<=[,;:!?.\u2013\u2014]) ?|\b(?:and|so|but|then|also|or) )"
    rf"(?:(?:{ADDRESSED}|@\w+|hey|hi|hello|ok|okay|bot|and|so|but|then|also|now)[,:!]? )*(?:please,? )?"
    r"(?:(?:could|can|would|will) (?:you|u) |i(?:'d| would) like you to |i (?:want|need) you to |don't forget to |"
    r"be so kind (?:and|as to) )?(?:please |kindly |maybe |also |then )*(?P<wish>remind me )",
    re.IGNORECASE,
)
"""Wish anywhere in a sentence: at the start or at the start of a clause, in any polite form."""
_SPEECH = re.compile(r"\b(?:said|says|say|saying|told|tells|asked|asks|wrote|writes|quote)\b", re.IGNORECASE)
"""Before a wish: the wish is another person's, in reported speech."""
_NEXT_TIME = re.compile(
    r",? and (?=(?:in [0-9]{1,6} (?:minute|hour|day)s?|at [0-9]{1,2}(?::[0-9]{2})?(?: ?[ap]m)?) (?:to|that|of|about) )",
    re.IGNORECASE,
)
"""Continuation with a second wish without `remind me`."""
_SENTENCE_END = re.compile(r"(?<=[!?]) +|(?<![ap]\.m)(?<!\b[A-Z])(?<!\b[DMSJN][rsto])(?<!Mrs)(?<!Prof)\. +(?=[A-Z<])")
_JOINED = re.compile(_JOINS, re.IGNORECASE)
"""Words that join the message to a preceding time."""
_DAY = r"today|tomorrow|[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = re.compile(
    rf"(?:\b(?:on )?(?P<before>{_DAY}) )?\bat (?P<hour>[01]?[0-9]|2[0-3])(?::(?P<minute>[0-5][0-9]))?"
    rf"(?: ?(?P<half>[ap])\.?m\b)?(?: (?:on )?(?P<after>{_DAY}))?(?![\w:]|[.,][0-9])",
    re.IGNORECASE,
)
_DELAY = re.compile(r"\bin (?P<number>[0-9]{1,6}) (?P<unit>minute|hour|day)(?:s?['\u2019]s? time|s)?\b", re.IGNORECASE)
_MINUTES = {"minute": 1, "hour": 60, "day": 1440}

_BESIDE_THE_TIME = "(?=$|[,.]| at | in | on | to )"
"""Place of a rhythm in one word: only at the end, or before a preposition; `the yearly review` has no rhythm."""
_EVERY = re.compile(
    r"\s*\b(?:every(?: single)?|once a) (?P<unit>day|week|month|morning|evening|night)\b(?! (?:day|end|start)\b)"
    rf"|(?<!\bthe)(?<!\bthis)(?<!\bmy)(?<!\bour)(?<!\ba)(?:^|\s+)(?P<adverb>daily|weekly|monthly){_BESIDE_THE_TIME}",
    re.IGNORECASE,
)
_DAILY = frozenset({"day", "morning", "evening", "night"})
_LATE = {"evening": range(1, 12), "night": range(6, 12)}
"""Hours after noon in the named part of the day."""
_WEEKDAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_OTHER_EVERY = re.compile(
    r"\bevery (?:(?:other|second|third|fourth|few|[0-9]{1,4}(?:st|nd|rd|th)?|two|three|four|six) )?"
    rf"(?:minute|hour|day|week|month|quarter|year|fortnight|weekday|workday|weekend|{_WEEKDAYS})s?\b",
    re.IGNORECASE,
)
_ADVERB = (
    "hourly|quarterly|yearly|annually|fortnightly|biweekly|"
    rf"(?:on )?(?:weekdays|workdays|weekends|{_WEEKDAYS}s)|(?:once|twice) an? (?:hour|day|week|month|year)"
)
_OTHER_ADVERB = re.compile(rf"(?:^|\s)(?P<rhythm>{_ADVERB}){_BESIDE_THE_TIME}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReminderWish:
    """Wish of a line: `arguments` for the reminders script, or the reason for having no arguments."""

    arguments: tuple[str, ...] = ()
    rhythm: str = ""
    """Typed words for a rhythm without a word of the script."""
    unread: str = ""
    """Time words not understood."""


def reminder_wish(line: str) -> ReminderWish | None:
    """Wish of a line beginning with `remind me to` or similar; None for a line without a wish or a time.

    Understood are `in N minutes` (hours, days), and `at HH:MM` or `at 9am`, with `today`, `tomorrow` or `on YYYY-MM-DD`
    before or after and with `every day`, `morning`, `evening`, `night`, `week` or `month`,
    or the equivalent word. An unsupported rhythm is reported even without a time.
    """
    match = _REMIND.fullmatch(" ".join(line.split()))
    if match is None:
        return None
    words, recur, part, is_joined = match["words"].strip(" ,"), "", "", match["joined"] is not None
    if (every := _EVERY.search(words)) is not None:
        recur, part = _recurrence(every), (every["unit"] or "").lower()
        words = (words[: every.start()] + words[every.end() :]).strip(" ,")
    if rhythm := _rhythm(words):
        return ReminderWish(rhythm=rhythm)
    if (delay := _DELAY.search(words)) is not None:
        minutes = int(delay["number"]) * _MINUTES[delay["unit"].lower()]
        return _wish(words, delay, ("--in-minutes", str(minutes)), recur, is_joined)
    clock = _CLOCK.search(words)
    if clock is None:
        return None
    hour = _hour(clock, part)
    if hour is None or (clock["before"] and clock["after"]):
        return ReminderWish(unread=clock[0])
    time = f"{hour:02}:{clock['minute'] or '00'}"
    date = (clock["before"] or clock["after"] or "").lower()
    return _wish(words, clock, (*(("--date", date) if date else ()), "--time", time), recur, is_joined)


def reminder_wishes(line: str) -> tuple[ReminderWish, ...]:
    """Every wish in a line of any number of sentences, in order.

    One begins at the start of a sentence or of a clause (`could you please remind me`, `and remind me`), and ends
    before the next or with the sentence. A wish in reported speech is none, and neither is a line quoted.
    """
    wishes = []
    for sentence in () if line.lstrip().startswith(">") else _SENTENCE_END.split(" ".join(line.split())):
        starts = list(_ASKED_FOR.finditer(sentence))
        if not starts or _SPEECH.search(sentence, 0, starts[0].start("wish")):
            continue
        ends = [match.start() for match in starts[1:]] + [len(sentence)]
        for start, end in zip(starts, ends, strict=True):
            first, *others = _NEXT_TIME.split(sentence[start.start("wish") : end].rstrip(" ,;"))
            wishes += [reminder_wish(part) for part in (first, *(f"remind me {other}" for other in others))]
    return tuple(wish for wish in wishes if wish is not None)


def _hour(clock: re.Match[str], part: str) -> int | None:
    """Hour of the day, 0 to 23; None for contradictory words.

    Args:
        part: Part of the day, such as `evening`; any other text has no meaning.
    """
    hour, half = int(clock["hour"]), (clock["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    elif hour in _LATE.get(part, ()):
        hour += 12
    elif part == "night" and hour == 12:
        hour = 0
    contradicts = (part == "morning" and hour >= 12) or (part == "evening" and hour < 12)
    return None if contradicts else hour


def _recurrence(every: re.Match[str]) -> str:
    if every["adverb"]:
        return every["adverb"].lower()
    unit = every["unit"].lower()
    return "daily" if unit in _DAILY else f"{unit}ly"


def _rhythm(words: str) -> str:
    if (every := _OTHER_EVERY.search(words)) is not None:
        return every[0]
    adverb = _OTHER_ADVERB.search(words)
    return adverb["rhythm"] if adverb else ""


def _wish(words: str, when: re.Match[str], time: tuple[str, ...], recur: str, is_joined: bool) -> ReminderWish | None:
    """The script's arguments when `when` of the words is the time and the rest the message."""
    before, after = words[: when.start()], words[when.end() :]
    if unread := unread_moment(before, after, recurs=bool(recur)):
        return ReminderWish(unread=unread)
    message = " ".join(f"{before} {after}".split()).strip(" ,.")
    if not is_joined and (joined := _JOINED.match(message)):
        message = message[joined.end() :]
    return ReminderWish((f"--msg={message}", *time, *(("--recur", recur) if recur else ()))) if message else None
