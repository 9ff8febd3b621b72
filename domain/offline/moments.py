"""Time words unreadable for the offline model: a wish with such words is refused, not set for another time.

Harmless words of a reminder are told apart: `the yearly review`, `Monday is off`, `practise for 20 minutes`.
"""

from __future__ import annotations

import re

_NUMBER = (
    "(?:[0-9]+(?:[.,][0-9]+)?|an?|half(?: an?)?|one|two|three|four|five|six|seven|eight|nine|ten|a (?:few|couple of))"
)
_SHORT_UNIT = "(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h)"
_LONG_UNIT = "(?:days?|weeks?|fortnights?|months?|quarters?|years?)"
_DAY_NAME = "(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?s?"
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_ORDINAL = "(?:[0-9]{1,2}(?:st|nd|rd|th)|first|second|third|fourth|last)"
_PART = "(?:mornings?|afternoons?|evenings?|nights?|noon|midday|midnight|lunchtime)"
_WEEK_DAY = f"(?:{_DAY_NAME}|week-?(?:day|end)s?|work-?days?)"
_DAY = f"(?:{_WEEK_DAY}|christmas|easter|birthday|payday)"
_ZONE = r"(?:UTC|GMT|BST|CES?T|EES?T|WES?T|MSK|[ECMP][SD]?T|JST|Z)(?:[+-][0-9:]+)?"

_ANYWHERE = re.compile(
    "|".join(
        (
            r"\b(?:today|tomorrow|tonight|overmorrow)\b",
            r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b",
            r"\b[0-9]{1,2}([/.])[0-9]{1,2}\1[0-9]{2,4}\b|\b(?:on|by|from|until|till) [0-9]{1,2}[/.][0-9]{1,2}\b",
            r"\b[0-9]{1,2}:[0-9]{2}\b",
            r"\b[0-9]{1,2} ?[ap]\.?m\b",
            r"\bat (?:about |around )?(?:[0-9]{1,2}\b|noon|midday|midnight|half|quarter|lunchtime)",
            r"\bo.?clock\b",
            rf"\b(?:in|within|after) {_NUMBER} (?:{_SHORT_UNIT}|{_LONG_UNIT})\b",
            rf"\bfor {_NUMBER} {_LONG_UNIT}\b",
            rf"\b(?:every|each|per) (?:\S{{1,20}} ){{0,2}}?(?:{_SHORT_UNIT}|{_LONG_UNIT}|{_PART}|{_DAY}|{_ORDINAL})\b",
            rf"\b(?:on|next|this|by|until|till|from|before|after|except|since|starting|coming) (?:the )?{_DAY}\b",
            rf"\b{_DAY_NAME} ?(?:-|\u2013|to|through|till) ?{_DAY_NAME}\b",
            rf"\b(?:on|by|from|until|till|next|the) (?:the )?{_ORDINAL}(?: of\b|$)",
            rf"\b(?:on|by|from|until|till) the {_ORDINAL}\b",
            rf"\b[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\b{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?\b",
            rf"\b(?:in|next|this|by|until|till|from|on) {_MONTH}\b",
            rf"\b(?:next|this|in the|by) (?:{_PART}|{_LONG_UNIT}|weekend)\b",
            r"\b(?:nightly|hourly|bi-?weekly|bi-?monthly|semi-?annually|half-?yearly)\b(?! [a-z]*(?:s|report)\b)",
        )
    ),
    re.IGNORECASE,
)
_BESIDE = (
    f"daily|weekly|monthly|mornings|afternoons|evenings|nights|{_WEEK_DAY}|{_PART}|starting|beginning|from|until|till"
    "|[0-9]{1,2}[./][0-9]{1,2}"
)
"""Words of time allowed only beside the words read as the time."""
_BEFORE = re.compile(
    rf"(?<!\bthe )(?<!\ba )(?<!\bgood )\b((?:the )?(?:day|weeks?) (?:after|before|from)"
    rf"|{_BESIDE}|by|before|after)[ ,(]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[ ,(\u2013-]*\b((?:{_BESIDE}|(?:and |or )?{_NUMBER} {_SHORT_UNIT}|and(?: a)? half|or so"
    r"|(?:\w{1,20} )?time|eastern|central|mountain|pacific)\b)",
    re.IGNORECASE,
)
_MORE_HOURS = re.compile(
    r" ?((?:(?:and|or|to|till|past|[,/\u2013-]) ?)?[0-9]{1,2}"
    r"|(?:to|till|past) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
    r"|(?:and )?(?:an? )?(?:quarters?|fifteen|twenty|thirty|forty|fifty)"
    r"|hours?|hrs?|h|minutes?|mins?|-?ish)\b",
    re.IGNORECASE,
)
"""Continuations of a time: `at 9 thirty`, `at 5 past 9`, `in 1 hour 30`."""
_AFTER_ZONE = re.compile(rf" ?({_ZONE})\b")
_WITH_RHYTHM = re.compile(
    rf"\b(?:until|till|except|unless|but not|starting|beginning|once|twice|(?:{_NUMBER}|many) times"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)|{_ORDINAL} (?:of|{_DAY}|{_LONG_UNIT})|{_DAY_NAME}|daily|weekly|monthly)\b",
    re.IGNORECASE,
)


def unread_moment(before: str, after: str, *, recurs: bool) -> str:
    """Time words beyond the words read; empty without any.

    Args:
        before: Text before the words read as the time.
        after: Text behind the words read as the time.
        recurs: True if a rhythm was read; more words may specify the rhythm.
    """
    for pattern in (_ANYWHERE, *((_WITH_RHYTHM,) if recurs else ())):
        for words in (before, after):
            if (match := pattern.search(words)) is not None:
                return str(match[0])
    beside = (_BEFORE.search(before), *(pattern.match(after) for pattern in (_AFTER, _MORE_HOURS, _AFTER_ZONE)))
    return next((str(match[1]) for match in beside if match is not None), "")
