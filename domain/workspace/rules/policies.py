"""Policies in English: sentences that tell how things are done here, and mean that they are to be done so."""

from __future__ import annotations

import re

from domain.workspace.rules.english import weighed

_DEAL = (
    r"(?:ship|sell|refund|do (?:refunds|returns|discounts|calls|meetings|deals|overtime|favou?rs|walk-ins|\w+ on"
    "|business)|accept|offer|deliver|deploy|release|publish|post|share|store|send|print|bill|charge|pay|open"
    "|close|hire|answer|serve|use|allow|quote|discount|book|rent|lend|buy|support|sign|translate|edit|touch"
    "|delete|log|record|disclose|reveal|discuss|comment|exchange|negotiate|promise|guarantee|reply|respond|order"
    "|email|call (?:customers|clients)|invoice|merge|push|commit|name|mention|advertise|subcontract|outsource"
    "|reuse|archive|schedule|restock|lock|work with|take (?:walk-ins|cash|cards?|orders|bookings|returns|photos))"
)
_DUTY = (
    "(?:signs?|wears?|brings?|pays?|reports?|logs?|locks?|uses?|checks?|registers?|washes|wash|cleans?|parks?"
    "|books?|submits?|asks?|writes?|turns?|shows?|scans?|speaks?|reviews?|tests?|carries|carry|files?|hands?"
    "|returns?|gives? notice|enters?|leaves? (?:by|their|the)|takes? (?:off|turns|their)|stays? (?:in|out|off"
    "|behind|under|below|away))"
)
_NO_GO = (
    "(?:off[- ]limits|forbidden|prohibited|taboo|banned|a no-go|not (?:allowed|permitted|acceptable|negotiable"
    r"|for sale|to be \w+)|confidential|mandatory|compulsory|non-negotiable|required)"
)
POLICIES = weighed(
    (
        0.5,
        rf"\b(?:we|i) (?:only|never|always|don't|do not|won't|will not) (?:ever )?{_DEAL}\b(?!.*\b(?:often|much|yet"
        r"|anymore)\b)",
    ),
    (
        0.5,
        r"\b(?:we|you|they|customers|guests|visitors) (?:can't|cannot|can not|may not"
        rf"|aren't allowed to) {_DEAL}\b(?= \S+)(?!.*\b(?:today|now|yet|anymore|right now|this week|because the)\b)",
    ),
    (0.5, r"^\W*for (?!some\b)(?:\S+ ){1,2}reasons?,? .*\b(?:can't|cannot|may not|must|don't|never|only|not|no)\b"),
    (
        0.5,
        r"^\W*(?:everything|anything|whatever)(?: (?:that )?(?:we|you|they|i|goes|comes|leaves)(?: \S+){0,4}?"
        r"| \w+ing| (?:in|on|from|for|with|over|under|above|below) (?:\S+ ){1,3}?\S+)? (?:needs?|requires?|gets?"
        r"|goes|has to|have to|must|costs?|waits?|comes? with|counts? as|is to)\b(?! (?:better|to know|easier"
        "|worse|well|wrong|great|smoothly))",
    ),
    (
        0.5,
        r"^\W*(?:everyone|everybody|each \w+|every (?!day|time|one)\w+|all (?:visitors|guests|staff|members"
        r"|drivers|customers|new\w* \w+|of us|of you)|visitors|guests|staff|drivers|members)(?: (?:who|in|on|from"
        rf"|that)(?: \S+){{1,3}}?)? {_DUTY}\b",
    ),
    (
        0.55,
        r"^\W*(?:please |always )?(?:run|clear|agree|discuss|coordinate|confirm|square|align|go over|check|talk"
        r"|arrange|settle) (?:\S+ ){1,3}(?:by|with|past|through|over with) (?:\S+ ){1,4}?(?:first|before\w*"
        r"|in advance|up front)\b",
    ),
    (
        0.5,
        r"^\W*(?:please |always )?(?:ask|get|test|back up|read|check|count|measure|wash|wait|warn|inform|notify"
        r"|tell|show|review|knock|save|lock|unplug|switch|turn|sign|verify)\b.*\b(?:first|beforehand|in advance"
        r"|up front)(?:,? (?:and )?then\b.*)?\W*$",
    ),
    (
        0.5,
        r"^\W*(?:all )?(?:\w+s|\w+ \w+s) (?:off|on|down|closed|out|away) (?:during|in|at|after|before|between"
        r"|while|when|by)\b",
    ),
    (0.6, rf"\b(?:is|are|stays?|remains?)(?: \w+)? {_NO_GO}(?!.*\b(?:in some|in many|when i was)\b)"),
    (
        0.5,
        r"^\W*(?:the |our |all |both )?(?!(?:it|that|this|there|he|she|love|life)\b)\w+(?: \w+){0,2} (?:stays?"
        "|remains?) (?:in|on|off|out of|under|below|above|behind|at|as|blue|red|green|white|black|gr[ea]y|plain"
        r"|open|closed|locked|shut|empty|free|the same)\b(?!.*\b(?:mind|heart|memory|touch|forever|special"
        r"|beautiful|shape)\b)",
    ),
)
"""Anywhere in a sentence, also in a sentence that begins like a tale of a person."""

HEDGED = re.compile(
    r"(?i)\b(?:i guess|i suppose|funny|hilarious|just kidding|kidding|jk|or so i hear|apparently)\W*$|\b(?:mum|mom"
    "|dad|mother|father|brother|sister|grandma|grandpa|granny|uncle|aunt|husband|wife|friend|son|daughter|kids?"
    r"|he|she) (?:always|never) \w+s\b|^\W*(?:do not|don't|never|always|no) (?:\w+ ){1,3}(?:was|were|reads?|said"
    r"|is what|are words)\b"
)
"""Signs of a tale, a guess or a joke with the words of a rule."""
