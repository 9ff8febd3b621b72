"""Phrases of rules in English: wordings of lasting wishes.

Each phrase has a weight, the share of certainty that it gives by itself; several add up. `OPENINGS` begin a clause,
`TOLD` stand anywhere in a sentence, and `PHRASES` in a sentence that is no tale of a person.
"""

from __future__ import annotations

import re

Weighed = tuple[tuple[float, re.Pattern[str]], ...]


def weighed(*phrases: tuple[float, str]) -> Weighed:
    """Phrases ready to be looked for: in any case, and written with blanks as people write."""
    return tuple((weight, re.compile(pattern.replace("\n", ""), re.IGNORECASE)) for weight, pattern in phrases)


_TIME = (
    r"(?:(?:next |this |the end of |end of )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|noon|midnight"
    r"|the end of|(?:next|this) (?:week|month)|\d|january|february|march|april|june|july|august|september|october"
    r"|november|december)"
)
_NUMBER = (
    r"(?:\d|(?:one|two|three|four|five|six|ten|twelve|twenty)\b|an? (?:hundred|dozen|thousand|page|minute|hour|day)\b)"
)
_SCOPE = (
    r"\b(?:(?:every|each)\b(?! (?:other|day|step|moment|bit|second|time|one))|all\b|any\b|always|only|throughout"
    r"|everywhere|whenever|per\b|instead of|untouched|unchanged|without|as (?:it|they) (?:is|are)|until|unless|before"
    rf"|at most|by default|for everything|below|(?:under|above|within|over|between) {_NUMBER})"
)
_DO = (
    r"(?:use|stick (?:to|with)|keep|write|answer|reply|respond|name|format|leave|treat|limit|give|quote"
    r"|spell|prefix|tag"
    r"|label|link|cc|put|plan|post|send|run|store|save|sign|touch|change|edit|test|check|inform|notify"
    r"|mark|pay|buy|order|book|add|include|exclude|skip|restrict|round|cite|confirm|deploy|merge|commit"
    r"|address|greet|translate|publish|report|log|cook|serve|water|feed|lock|close|open|turn|set|do|assume"
    r"|refer|back up"
    r"|double-check|work|push|pull|call|contact|invite|charge|bill|delete|remove|read|speak)"
)
_AFTER_DO = r"(?! (?:you\b|a look|your research|at it|going|on\b|each|up\b|me\b|us\b|it up))"
_THING = (
    r"(?:the|all|every|each|any|our|my|your|this|these|those|no|both|two|three|\d+|nothing|nobody|no one|everything"
    r"|everyone|anything|anyone|[a-z-]+(?<!s)s(?= ))"
)
_GAP = r"(?: (?!where|what|who\b|which|that\b|me\b|us\b|i\b|we\b|you\b)\S+){0,7}?"
_GUESS = (
    r"(?:'ve|(?: \w+)? (?:have\b|been\b|be (?:so|an?|really|very|such|quite|pretty|the|in|like|\w+ing|\w+ful|\w+some"
    r"|\w+ible|nice|great|hard|tough|good|fun|proud|happy|nervous|excited|tired|raw|there|true|love|one)\b)"
    r"| (?:feel|say|admit|confess|mean|know|see|love)\b)"
)
_NOT_DO = (
    r"(?:forget|feel|know|think|see|have|recall|remember|miss|get me|you\b|we\b|i\b|they\b|really|even|like"
    r"|need|mind|care"
    r"|sell|overthink|be (?:so|too|sad|sorry|hard|afraid|shy)|want|believe|understand|blame|beat|look (?:back|so))"
)
_NO_WORD = (
    r"(?:way|prob(?:lem|s)?|worr\w+|doubt|wonder|idea|one|need|rush|matter|kidding|pressure|regrets?|reason"
    r"|joke|surprise"
    r"|limits?|thanks|sweat|stress|shame|judg\w+|better|other|excuses?|longer|big|biggie|clue|words|pain|kids|luck|time"
    r"|there|i|it|that|not|we|you|he|she|plans|news|signs?|sport|place|point|use|recordings?)\b"
)
PERSON = r"(?:you|everyone|everybody|anyone|all of you|people|us)"
"""Addressees of a rule, in sentences of wishes."""

OPENINGS = weighed(
    (
        0.7,
        r"(?:never|not ever) (?:ever )?(?!been|had|heard|seen|done|thought|knew|known|felt|met|got|too"
        r"|again|before|a\b|the\b"
        r"|in\b|\w+ed\b|\w+[^s]s\b|mind|fails?\b)\w",
    ),
    (0.7, rf"(?:do not|don't|dont) (?:ever )?(?!{_NOT_DO})\w"),
    (0.7, r"(?:under no circumstances|on no account|at no time)\b"),
    (0.5, r"(?:avoid|refrain from|steer clear of|stay away from|keep away from|hands off|no more)\b"),
    (0.5, r"stop \w+ing\b"),
    (0.5, r"(?:you(?:'d| had) )?better (?:not|don't) \w+"),
    (
        0.6,
        r"always (?!an?\b|the\b|here|there|been|good|great|nice|so\b|up\b|happy|glad|fun|wanted|loved"
        r"|\w+ing\b|\w+ed\b|in\b"
        r"|on\b|with\b|by\b|my\b|your\b|our\b|about|love|worth|something|and\b|cool|interesting|best|feels?\b)\w",
    ),
    (0.55, rf"only (?:ever )?{_DO}\b"),
    (0.5, r"only \w[^,]*\b(?:may|can|gets?|is allowed|are allowed|decides?)\b"),
    (0.55, r"(?:make sure|ensure|see to it|be sure|be careful|take care) (?:that|to|not|never)\b"),
    (0.5, r"(?:make sure|ensure) (?:the|all|every|each|no|any|nothing|nobody|our|\w+s)\b"),
    (0.6, r"(?:remember|keep in mind|bear in mind|note|for the record|reminder|fyi|warning)(?: that\b|:)"),
    (0.5, r"(?:don't forget (?:that|to)|always remember) (?!have|be\b|enjoy|take|it\b|you\b)"),
    (
        0.6,
        rf"no (?!{_NO_WORD})[\w'-]+\b(?!.*\b(?:i|we|there|was|were|yet|for me|better"
        rf"|like)\b)(?:.*\b(?:before|after|between"
        r"|until|unless|without|on|in|for|during|above|below|over|under|from|to|at|longer|please|allowed|with)\b"
        r"|[^,]{0,40}\W*$)",
    ),
    (
        0.6,
        r"(?:nothing|nobody|no one|none of)\b.*\b(?:without|until|unless|before|except|may|must|should"
        r"|gets?|leaves|with)\b",
    ),
    (0.55, rf"{_DO}\b{_AFTER_DO}(?: \S+){{0,12}}? ?{_SCOPE}"),
    (
        0.6,
        r"(?:wait|hold off) (?:for|until|till|with)\b.*\b(?:before|ok(?:ay)?|approval|says?|go-ahead"
        r"|confirm|review|sign)",
    ),
    (0.7, r"(?:ask|check with|consult|tell|talk to|call|ping|warn|inform)\b.*\b(?:first|before(?:hand)?|in advance)\b"),
    (
        0.5,
        r"(?:call|address) (?:me|us|him|her|them) (?!back|when|later|if|tomorrow|tonight|at\b|asap|now|for"
        r"|to\b|on\b)\w+",
    ),
    (
        0.5,
        r"(?:answer|reply|respond|write|speak|talk)\b.*\bin (?:english|german|french|spanish|chinese|japanese|plain)\b",
    ),
    (
        0.6,
        r"(?:rule|policy|convention|constraint|requirement|house rule|decision|budget|deadline|limit"
        r"|scope)(?: \w+)?\s?:",
    ),
    (
        0.55,
        r"(?:our |the )?(?:budget|deadline|limit|scope|quiet hours|target|max(?:imum)?|due date|rule"
        r"|policy) (?:is|are)\b",
    ),
    (0.6, r"(?:let's agree|we agreed|we've agreed|our (?:rule|policy|convention))\b"),
    (
        0.5,
        rf"(?:i|we) (?:want|need|expect|would like|ask) {PERSON} (?:not )?to (?!know|meet|see|be happy|come"
        rf"|join|have|feel)",
    ),
    (0.5, r"(?:i|we)(?:'d| would) ask (?:you|that|everyone|everybody|people)\b"),
    (0.55, r"(?:i|we)(?:'d| would) (?:prefer|rather) (?:that|if|you|not|no|it|every|all)\b|(?:i|we) prefer (?!to )"),
    (0.6, r"(?:i|we)(?:'d| would) (?:really )?appreciate it if (?!you could (?:help|tell|send|let))"),
    (
        0.6,
        r"(?:i|we) (?:don't|do not) want (?:you|any|anyone|anybody|to (?:see|get|receive)|the|it"
        r"|that)\b(?! to (?:feel|miss))",
    ),
    (0.5, rf"(?:i|we) need (?:it|this|that|them|these|those|the [\w ]+|everything) (?:\w+ ){{0,3}}by {_TIME}"),
    (
        0.5,
        r"(?:it would|it'd) be (?:great|good|nice|helpful|better|best) if\b.*\b(?:always|never|only|every"
        r"|all|no|any)\b",
    ),
    (
        0.5,
        r"we (?:never|don't ever|only|always|don't)\b.*\b(?:without|unless|until|here|in this (?:repo|project|team))\b",
    ),
    (0.55, r"(?:it's|it is) (?:not (?:allowed|permitted|ok|okay|acceptable)|forbidden|prohibited)\b"),
    (
        0.55,
        r"(?:it's|it is) (?:absolutely )?(?:essential|crucial|vital|imperative|mandatory|required|important) that\b"
        r"(?! (?:you|we|they)\b)",
    ),
    (0.6, r"(?:if (?:in doubt|(?:you're |you are )?(?:unsure|not sure))|when in doubt)\b"),
    (0.55, r"(?:leave|let) (?:\S+ ){1,5}(?:alone|as (?:is|it is|they are)|untouched|unchanged)\b"),
    (
        0.55,
        r"keep (?!up\b|going|me\b|us\b)(?:\S+ ){1,6}(?:out of|away from|under|below|short|brief|private|to yourself"
        r"|closed|locked|shut|hidden|while|between us|that way|secret|confidential|separate|in sync|lowercase)\b",
    ),
    (
        0.5,
        r"try (?:not to|to (?:avoid|keep|always|never))\b(?! (?:worry|think|stress|let|be|get|push|take|moving|going))",
    ),
    (0.5, r"whenever you\b[^,]*, \w+"),
    (0.55, r"(?:as a rule|rule of thumb|general rule)\b"),
    (
        0.5,
        r"(?:must|has to|have to|needs to|may not|cannot|should not) (?!have|admit|say|go\b|be (?:so|an?"
        r"|the|\w+ing)\b)\w+",
    ),
    (0.55, r"not (?:before|after|on|in|without|until|to be|more than|during|between) \w+"),
    (0.5, r"(?!just|the\b|not\b|\d|one\b|two\b|three\b|first|if\b|time)[\w-]+(?: [\w-]+){0,2} only(?:,? please)?\W*$"),
    (0.55, r"(?:let|have) (?:nobody|no one|no\b|only|everyone|everybody|all)\b"),
    (0.5, r"use (?!it\b|that\b|them\b)(?:\S+ ){1,6}(?:for|in|when|if|as|on) (?!me\b|now\b|a while)\S"),
    (0.55, r"(?:i|we) (?:want|expect|need) (?:every|all|each|no|only|any)\b"),
    (
        0.55,
        r"you (?:have to|need to|must|are to) (?:ask|check|wait|get|use|keep|tell|inform|send|write|sign"
        r"|leave|run|consult)\b",
    ),
    (0.5, r"(?:fewer|less|shorter|longer|smaller|more)\b.*\bplease\W*$"),
    (0.5, r"(?:i|we) only (?:want|need|accept|read|take|use|work|eat|drink)\b(?! to (?:say|be|know|see))"),
    (0.5, r"(?:it would|it'd) be (?:great|good|nice|helpful|better|best) if\b.*(?:n't|\bnot)\b"),
    (0.55, r"(?:hold|pause|freeze|postpone|block|stop)\b.*\b(?:until|unless|till)\b"),
    (0.5, rf"(?:under|below|within|at least|less than|up to) {_NUMBER}(?:\S* )"),
    (0.55, r"(?:write|use|say|format|call|spell|name|put|address)\b.*, (?:not|never|no) \S"),
    (
        0.46,
        r"we (?:keep|use|write|answer|store|avoid|name|put|tag|sign|round|bill|charge|archive|log|test"
        r"|review) (?!to\b|in touch)\S",
    ),
    (
        0.5,
        r"stick (?:to|with)\b(?! (?:it|me|us)\b)|give\b.*, (?:nothing|no|not)\b|it (?:has|needs) to (?:fit"
        r"|work|run|stay|be)\b(?! \w+(?:ing|ful)\b)",
    ),
    (0.6, r"we (?:must not|mustn't|may not|may only|must never|should never|must always)\b(?! (?:forget|have|be so))"),
    (0.5, r"treat\b.*\bas\b|consider\b.*\b(?:final|closed|confidential|private)\b"),
    (
        0.5,
        r"(?:whoever|anyone who|everyone who|those who|if (?:anyone|anybody|somebody|someone))\b.*\b(?:\w+s"
        r"|must|should|gets?)\b",
    ),
    (
        0.5,
        r"if an? [^,]+, (?:the|it|they|this|that|then|always|never|please|don't|ask|tell|answer|reply|use|send|put)\b",
    ),
    (
        0.5,
        r"(?:pick|choose|take|look for) (?:only |places|things|one|ones|a|an|something|words"
        r"|names)\b.*\b(?:with|without|that|for)\b",
    ),
    (0.5, r"nothing (?:that|which|over|above|below|under|beyond|fancy|spicy|with|from|in|on|to)\b"),
    (
        0.55,
        rf"(?:we|you) (?:can't|cannot|can not|can only|mustn't|must not|may only) (?:spend|pay|use|exceed"
        rf"|take|invite|order|afford|offer|book)\b.*\b(?:(?:more|less|longer|later|fewer|earlier) than"
        rf"|over|above|below|beyond|up to|at most|until|before|after|on|without) (?:\S+ )?{_NUMBER}",
    ),
    (
        0.5,
        r"(?:i|we) (?:got|have|were given) (?:approval|clearance|permission|the go-ahead|a budget)"
        r" (?:for|of|to|until)\b",
    ),
    (0.5, r"[\w ]+, (?:never|not) (?!even|sure|bad|really|yet|that|to mention|a\b|the\b|so\b|too\b)[\w ]+\W*$"),
)
"""Of a clause; what goes before an imperative is taken off."""

TOLD = weighed(
    (
        0.6,
        r"\b(?:from (?:now|today|tomorrow|here|monday|next week) on|going forward|as of (?:now|today)"
        r"|in (?:the )?future(?=,)|at all times)\b",
    ),
    (0.7, r"\b(?:without (?:any )?exceptions?|no exceptions|under no circumstances|on no account|by no means)\b"),
    (0.5, r"\b(?:and|but) not (?:a|one|an) \w+ more\b"),
    (0.55, r"\b(?:is|am|are|'m|'re|'s) (?:\w+ )?(?:allergic|intolerant|colou?r-?blind|dyslexic|c(?:o)?eliac)\b"),
    (0.4, r"\bwhatever you do\b"),
    (0.5, r"\b(?:company|house|team|our|strict|school|club) (?:policy|rules?)\b|\bfor (?:approval|review|sign-?off)\b"),
    (0.5, r"\b(?:as|so) long as (?:\S+ ){1,4}(?:doesn't|don't|isn't|aren't|stays?|remains?|keeps?|is|are)\b"),
    (
        0.5,
        r"\bprovided (?:that|the|it|you|they)\b|\bon (?:the )?condition that\b|\bunless (?:i|we) (?:say|ask"
        r"|tell|write)\b",
    ),
    (0.5, r", so (?:please )?(?:pick|choose|plan|avoid|book|skip|stick|no\b|nothing|only|don't|never)"),
)
"""Anywhere in a sentence."""

PHRASES = weighed(
    (0.4, r"\b(?:by default|strictly|mandatory|compulsory)\b"),
    (
        0.65,
        r"\byou (?:must|may|should|can|are) (?:not|never|only|always|under no)\b(?! (?:imagine|have|be)\b)"
        r"|\byou mustn't\b",
    ),
    (0.6, rf"(?:^|[,:;] |\b(?:and|but|so|that) )\W*{_THING}\b{_GAP} (?:must|shall)(?!{_GUESS})\b"),
    (
        0.55,
        rf"(?:^|[,:;] |\b(?:and|but|so|that) )\W*{_THING}\b{_GAP} (?:may (?:only|not|never)|can only|(?:has"
        rf"|have|needs?|ought) to"
        rf"|should(?:n't)?|(?:is|are) (?:not to|to be)|mustn't|may)(?!{_GUESS})\b(?! (?:come|seem|sound)\b)",
    ),
    (
        0.55,
        r"^\W*(?!(?:you|that|this|it|they|he|she|i|we|being|love|life|there)\b)\w+"
        rf"{_GAP} (?:(?:must|shall) (?:not|never|only|always|be|go|have)|may (?:only|not|never)|(?:needs?"
        rf"|ha(?:s|ve)) to be"
        rf"|should (?:not|never|only|always|be))\b(?<! must have)(?! (?:so|an?|really|such|the|\w+ing|\w+ful"
        rf"|\w+ible)\b)",
    ),
    (
        0.65,
        r"\b(?:not|n't) (?:be )?(?:allowed|permitted|acceptable)\b"
        r"|\b(?:forbidden|prohibited|off[- ]limits|off the table|banned)\b",
    ),
    (0.6, r"\bwithout (?:\S+ ){0,3}(?:ok|okay|approval|consent|permission|sign-?off|say-so|go-ahead|review|asking)\b"),
    (
        0.6,
        r"\b(?:until|unless|before) (?:\S+ ){1,3}(?:says?|approves?|confirms?|gives?|signs?|asks?|tells?"
        r"|agrees?|oks?)\b",
    ),
    (0.65, r"\bbefore you \w+.*, (?:please )?(?:ask|check|run|let|talk|get|tell|show|wait|call)\b"),
    (
        0.5,
        r"\b(?:prior to|before) (?:merging|deploying|sending|publishing|posting|ordering|release|releasing|booking)\b",
    ),
    (
        0.55,
        r"\b(?:at most|(?:no|not) (?:more|longer|less|fewer|later|earlier) than|max(?:imum)?(?: of)?"
        r"|must not exceed|capped at"
        rf"|limited to) (?:\S+ )?{_NUMBER}",
    ),
    (0.55, rf"\b(?:must|ha(?:s|ve) to|needs? to|should) (?:\S+ ){{1,6}}(?:by|before|until|no later than) {_TIME}"),
    (0.6, r"\bno later than\b|\b(?:the|our) deadline (?:is|for)\b|\b(?:is|are) due (?:on|by|at|before)\b"),
    (
        0.5,
        r"\b(?:stays?|remains?|be kept|to stay) (?:untouched|unchanged|read-only|private|confidential|secret|closed"
        r"|as (?:it|they) (?:is|are)|in\b|off\b|between us)",
    ),
    (0.5, r"\b(?:don't|doesn't|do not|does not) (?:belong (?:in|on|here)|go (?:in|into|to|out|near))\b"),
    (
        0.5,
        r"\b(?:is|are) only (?:acceptable|allowed|permitted|possible|permissible|valid|open|ok(?:ay)?|fine|safe)\b"
        r"(?= (?:on|in|at|if|when|with|for|after|before|between|during|until|from|by|to|as)\b)",
    ),
    (
        0.5,
        r"^\W*(?:anything|everything|whatever|all) (?:beyond|above|over|below|under|more than|else than|outside)\b"
        r".*\b(?:needs?|requires?|has to|must|goes|is|costs?|waits?)\b",
    ),
    (0.5, r"\b(?:is|are|gets?) only (?:to be )?\w+(?:ed|en|t) (?:through|via|by|after|with|if|when|in|on|from)\b"),
    (
        0.5,
        r"\bgo(?:es)? (?:through|via|to|past) (?:\S+ ){1,3}(?:first|before)\b"
        r"|\bgets? (?:\S+ ){1,3}before (?:it|they) go",
    ),
    (0.4, r"\b(?:nobody|no one|nothing) else\b|\bnobody but\b|\bno one but\b|\bis reserved for\b"),
    (
        0.5,
        rf"^\W*(?:any|every|each|all)\b{_GAP} (?:needs?|requires?|gets?|goes|counts?|comes?"
        rf"|takes?) (?!better|to know)\S",
    ),
    (
        0.5,
        r"\b(?:is|are|have|has|stays?|goes|go|starts?|come|comes|use|uses) (?:always|never)\b(?! (?:been|too|a|there))",
    ),
    (0.5, r"^\W*(?:whoever|whatever|anything that|everything that)\b.*, \w+|^\W*(?:whoever)\b"),
    (0.46, r"\bonly\W*$|\bcomes? (?:before|first)\b|\bplan around\b"),
    (0.5, r"\bgo(?:es)? (?:out|in|to|into|through|via)\b.*\b(?:too|as well|only|first|before)\b"),
    (0.46, r"\bor (?:else|the|it|they|we|he|she) .*\b(?:will|would|'ll)\b"),
    (
        0.46,
        r"\b(?:can't|cannot|can not) be \w+(?:ed|en|t)\b|\bis closed to\b|\bis (?:frozen|final|private|confidential)\b",
    ),
    (0.5, r"\b(?:has|have) the (?:final|last) (?:say|word)\b|\btakes? (?:precedence|priority) over\b"),
)
"""In a sentence that is no tale of a person."""
