"""Talk in English: how sentences look that ask, tell, cheer or want something once, and set no rule or a faint one."""

from __future__ import annotations

import re

from domain.workspace.rules.english import PERSON

REQUESTS = re.compile(
    rf"(?i)\b(?:could|can|would) (?:{PERSON}|we) (?:please )?(?:always|never|not|only (?!be)|make sure|stop"
    rf"|avoid|refrain"
    r"|keep (?!me|us|going)|use|stick|address|refer to|call (?:me|him|her|them|it))\b|\bplease (?:address"
    r"|refer to)\b|\b(?:could|can|would|will) you please\b.*\b(?:always|never|only|every"
    r"|from now on|in future|without|until|unless|before)\b"
)
"""Rules that are asked for, though they end like questions."""

LIMITING = re.compile(
    r"(?i)\b(?:only|all|any|every|each|before|after|until|unless|without|never|always|must|shall|should|may"
    r"|cannot|can't|not"
    r"|no|nothing|nobody|none|max|min|at (?:most|least)|first|instead|except|(?:more|less|fewer|later"
    r"|earlier|longer) than"
    r"|(?:over|under|above|below|within|by|from|between) (?:the )?\d|stays?|remains?|keeps?|own|both|approval|needs?"
    r"|belongs?|limited|required|separate|same|on \w+days?|per|within|no longer|nowhere|reserved|half|twice"
    r"|once|one|two|three"
    r"|four|five|ten)\b"
)
"""A limiting word: in a sentence of things alone, a sign of a rule."""

PERSONAL = re.compile(
    r"(?i)\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|our|us|you|you're|you've|your|he|she|his|her"
    r"|him|they|them|their"
    r"|it|it's|that's|this|there|there's|here|was|were|had|did|been|being|will|would|could|might|so|such"
    r"|really|just|still"
    r"|yet|again|ago|already|yesterday|today|now|last|hey|hi|wow|thanks|yeah|yep|nah|nope|sure|sounds|looks"
    r"|hope|glad|beats|compares|great"
    r"|amazing|awesome|cool|nice|good|happy|fun|love|life|like|dream|photo|wait|miss|tough|sorry|awesome"
    r"|came|went|got|won|lost|said|made|failed|passed|green|broken|(?!(?:need|limited|required|accepted"
    r"|reserved|allowed)\b)\w+ed)\b"
)
"""A word of a sentence that tells, feels or happens."""

TASK = re.compile(
    r"(?i)\W*(?:please )?(?:list|show|find|summari[sz]e|count|sort|search|look|convert|create|generate|add"
    r"|write an?|make an?"
    r"|draw|compare|explain|calculate|translate|tell|give|describe|what|how|why|who|when|where|which|there|here)\b"
)
"""Beginning of a sentence that asks for a single task."""

CONSOLING = re.compile(
    r"(?i)\b(?:don't|do not|never|always|only|make sure|be sure|take care|remember|keep|stop|no"
    r"|try)\b.*\b(?:worr(?:y|ies)"
    r"|give up|giving up|hesitate|sweat|(?:too|so) hard|yourself|yourselves|dreams?|dreaming|smil(?:e|ing)"
    r"|fun|passions?"
    r"|believ\w+|proud|enjoy\w*|shin(?:e|ing)|grateful|spirits?|vibes?|afraid|shy|mention it|be sad|be sorry|feel bad"
    r"|self-care|a break|memories|joy|happiness|happy|loved ones|good work|great work|awesome|amazing"
    r"|(?:here|there) for"
    r"|cheer\w*|heart|stress about|miss out|be scared|get me wrong|hold back|lose hope|hope|journey"
    r"|motivated|supporting"
    r"|what makes you|what you love|let (?:it|that|anything|anyone|them|fear)|good times|too late"
    r"|have a (?:great|good|nice)"
    r"|what matters|celebrate|growing|learning|counts|balance|each other)\b"
    r"|^\W*(?:never mind|remember(?: when| that (?:day|time|night|one|trip)| those| how))\b"
)
"""Words of comfort or cheer, which set no rule."""

NARRATED = re.compile(
    r"(?i)\W*(?:(?:oh|yeah|yes|no|well|so|and|but|also|wow|ok|okay|thanks|actually|honestly|then|because|when|nah|nope"
    r"|that's why)\b[,!. ]*)*(?:i|i'm|i've|i'd|i'll|he|she|he's|she's|we've|we're|we'd|we'll|we|they|they're|they've"
    r"|my \w+|it|it's|that|that's|there|there's|who|which)\b"
)
"""Beginning of a sentence that narrates."""

BEFORE = re.compile(
    r"\W*(?:(?:(?i:ok(?:ay)?|so|and|but|also|then|well|yes|hey|hi|btw|by the way|fyi|just so you know|going forward"
    r"|from now on|from today|in (?:the )?future|as a rule|important|nb|one (?:more )?thing|first|please|pls|kindly"
    r"|whatever you do|in general|generally|again|just|remember|note|careful|attention|seriously|really"
    r"|feel free to [^,]{3,60}(?=,)|for (?:this|the|our|my) \w+(?: \w+)?(?=,)"
    r"|(?:when(?:ever)?|if|once|before|after|until|unless|while|as long as|since|because) [^,]{3,80}(?=,)"
    r"|(?:on|in|at|for|during) [^,]{3,40}(?=,)|bot|all|everyone|team|folks|guys)|@\w+|[A-Z]\w+(?=,)|\d{1,2}[.)]|[-*+•])"
    r"(?:\b|(?<=[.)*+•-]))[\s,:;.\u2013\u2014-]*)+"
)
"""Words before an imperative."""
