"""Words with which work goes on in English and German: `CORES` say it, `FILLERS` may stand beside them.

All of it is in lower case and without accents.
"""

from __future__ import annotations

_WE = r"(?:we|i|us|things)"
_NEXT = (
    "next(?! (?:time|week|weekend|month|year|day|morning|evening|night|summer|winter|spring|autumn|session"
    r"|meeting|to\b|door|of kin|level|life))"
)
_WORK = r"(?:work|task|job|project|plan|list|business|thing|step)s?"
_STATE = r"(?:status|state|progress|situation|standing)"
_OPEN = (
    "(?:left(?: over)?|remains?|remaining|outstanding|pending|to (?:be )?do(?:ne)?|undone|unfinished|not done"
    "|still (?:open|missing|due))"
)
_EN = (
    # to go on
    r"continu(?:e|ing)(?: on)?|(?<!the )(?<!a )(?<!my )resume|resuming|proceed(?:ing)?|onwards?|on (?:we|i) go",
    r"(?:go|carry|move|press|push|march|crack|plod) (?:right |straight |back )?(?:on(?:wards?)?|ahead|forwards?)",
    r"keep (?:on )?(?:going|moving|working|rolling|at it|(?:it|things) (?:up|going|moving|rolling))|keep on",
    f"get (?:going|moving|cracking|rolling|(?:back )?on with (?:it|things|the {_WORK})|(?:it|things) (?:going"
    "|rolling))",
    rf"back (?:in|on)?to (?:it|(?:the |our |this )?{_WORK}|what (?:we|i) (?:were|was) (?:doing|at|on|working on))",
    f"(?:pick|take) (?:(?:it|this|things|everything|(?:the|our) (?:thread|{_WORK})) )?(?:back )?(?:up"
    "|from (?:there|where))",
    r"start (?:up )?again|(?:dive|jump|get) back in",
    # where it is
    f"where (?:were|are|was|am|did|do|had|have) {_WE}(?: (?:been )?(?:stand(?:ing)?|stop(?:ped)?|leave|left|get"
    "|got|ended?))?",
    rf"where {_WE} (?:were|are|was|am|(?:had |have )?(?:left|stopped|stand|stood|got|ended|been))|we left",
    rf"how far (?:along )?(?:are|were|did|have|had|am|was) {_WE}(?: (?:along|got|gotten|get|come|in|made it))*",
    f"how(?:'?s| is| are) (?:the |our |this )(?:{_WORK}|progress)(?: (?:going|coming(?: along)?|looking|progressing))?",
    f"what (?:were|are|was|am|had|have) {_WE} (?:been )?(?:up to|doing|working on|at|about|busy with"
    "|in the middle of|on)",
    f"(?:the |our )?(?:current|present|latest) {_STATE}|state of (?:play|affairs|things|the {_WORK})"
    r"|the state(?=\W*$)",
    "(?:the |an? )?(?:(?:quick|short) )?(?:status|progress)(?: (?:update|report|check|overview))?|any (?:progress"
    r"|updates?)|update(?=\W*$)",
    r"(?:bring|get|catch|fill) (?:me|us) (?:back )?(?:up(?: to (?:speed|date))?|in)|refresh my memory|recap",
    # what comes
    r"what(?:'?s| is| was) on (?:the|our) (?:list|agenda|plan|board|table)",
    rf"{_NEXT}(?: (?:one|up|{_WORK}|items?|points?|moves?|stage|in line))?(?: on (?:the|our) (?:list|agenda|plan))?",
    f"(?:what|which {_WORK})(?:'?s| (?:is|are|was|were|comes?|goes|follows|remains|happens|should|do|does|shall"
    f"|can|must|will|would|have|has|needs|else|there|still|we|i|up|be|to|do|done|got|get|now|need))* (?:{_NEXT}"
    f"|{_OPEN})",
    f"what (?:did|have|had) {_WE} (?:get |got |been )?(?:done|do|finish(?:ed)?|achieved?|completed?)|what(?:'?s"
    r"| is) the latest(?=\W*$)",
    rf"(?:what|which) (?:{_WORK}|points?|stage|part|items?) (?:are|were|am|was) {_WE}(?: (?:at|on|in|up to))?",
    rf"what (?:are|am|were|was) {_WE} (?:supposed|meant|expected|going) to do(?: {_NEXT})?",
    rf"what (?:now|else(?=\W*$)|remains)|(?:what|which {_WORK})(?:'?s| is| are) (?:still )?(?:open|missing)(?=\W*$)",
    rf"what (?:else )?(?:do|should|can|must|shall) {_WE} (?:still )?(?:(?:have|need|got|want) to )?(?:do|tackle)",
    f"what(?:'?s| is| was| are| were) (?:the|our|my) (?:{_NEXT}|current|latest|remaining|last|open"
    f"|present)? ?(?:{_WORK}|{_STATE}|stage|moves?|items?|to-?dos?)",
    r"(?:and|so|ok|okay) now(?=\W*$)|what(?:'?s| is| comes| do (?:we|i) do)? (?:after|then)(?: (?:that"
    r"|this))?(?=\W*$)",
)
_WIR = r"(?:wir|ich|man)"
_SCHRITT = r"(?:schritte?s?|aufgaben?|punkte?|sachen?|ding|todos?|etappe)"
_STAND = r"(?:stand|lage|plan|status|zwischenstand|fortschritt|situation)"
_JETZT = r"(?:jetzt|nun|dann|noch|denn|so|uns|heute|danach|alles|gerade|da|zuletzt|eigentlich|letztes mal|gestern)"
_NACHST = r"(?:als )?nachste[smnr]?(?! (?:woche|jahr|mal|tag|monat|wochenende))"
_DE = (
    # to go on
    "wie (?:geht(?:'?s| es)?|machen wir|geht das) (?:jetzt |nun |denn |dann )*weiter|weiter(?:geht'?s|gehen"
    "|machen|arbeiten|fuhren|kommen)?|fort(?:fahren|setzen|fuhren)?|fortsetzung",
    "zuruck (?:zur|an die|zum) (?:arbeit|sache|thema|aufgabe|projekt|plan)|an die arbeit"
    r"|knupf\w* (?:wir )?(?:da )?an",
    # where it is
    f"wo (?:waren|sind|stehen|standen|bin|war|hatten|haben|blieben) {_WIR}(?: {_JETZT})*(?: (?:stehen ?geblieben"
    "|aufgehort|unterbrochen))?",
    rf"wo {_WIR} (?:{_JETZT} )*(?:waren|sind|stehen|aufgehort|stehen ?geblieben|standen)",
    rf"(?:an|bei|in) welche[mrn] (?:punkt|stelle|schritt|aufgabe|phase) (?:waren|sind|stehen|standen|war) {_WIR}",
    rf"wie weit (?:sind|waren|bin|bist|war|kamen|ist) (?:{_WIR}|du|alles|das|die arbeit)(?: (?:gekommen|{_JETZT}))*",
    rf"woran (?:waren|sind|haben|arbeiten|sassen) {_WIR}(?: {_JETZT})*(?: gearbeitet)?",
    rf"(?:wie|was) (?:ist|war|lautet) (?:{_JETZT} )*(?:der |unser |die )?(?:\w+er? )?{_STAND}",
    rf"stand der (?:dinge|arbeit(?:en)?)|(?:aktuelle[rn]?|letzte[rn]?|jetzige[rn]?) {_STAND}|zwischenstand",
    r"status(?:bericht|update)?|fortschritt(?:sbericht)?|wie steht'?s? (?:es )?um (?:die arbeit|das projekt)",
    r"auf den (?:neuesten |aktuellen )?stand",
    rf"wie (?:sieht|schaut)(?:'?s| es)? (?:{_JETZT} )*"
    rf"(?:(?:der |die |unser )?{_STAND} aus|aus mit (?:dem |der )?{_STAND})",
    # what comes
    rf"{_NACHST}(?: {_SCHRITT})?|(?:und|was) (?:jetzt|nun|dann)(?=\W*$)",
    rf"was (?:mache[n]?|tun|mach|tue) {_WIR} (?:jetzt|nun|dann|{_NACHST})",
    f"was (?:kommt|folgt|steht|ist|liegt|bleibt|ware|gibt es|gibt's|hatten wir|haben wir) (?:{_JETZT} )*(?:(?:die "
    f"|der |das |unser )?{_NACHST}(?: {_SCHRITT})?|an|offen|ubrig|zu tun|zu erledigen|zu machen|dran)",
    rf"was (?:kommt|folgt|fehlt|bleibt)(?: {_JETZT})*",
    f"welche {_SCHRITT}n? (?:sind|waren|bleiben|stehen|kommen|fehlen|kommt|ist|steht) (?:{_JETZT} )*(?:{_NACHST}"
    f"|an|offen|ubrig|zu tun|zu erledigen|dran)|welche[rs]? {_SCHRITT} (?:kommt|folgt)(?: {_JETZT})*",
    f"was (?:mussen|muss|sollen|soll|sollten|wollten|haben|hatten) {_WIR} (?:{_JETZT} )*(?:{_NACHST} )?(?:tun"
    "|machen|erledigen|vor|zu tun)",
)
CORES = "|".join((*_EN, *_DE))
COURTESIES = (
    r"exactly|precisely|actually|just|genau|eigentlich|bloss|for (?:now|us|me)|(?<=left )for today|fur heute"
    r"|im (?:text|programm|takt)"
    r"|(?:sorry|thanks|thank you|thx) for (?:the |your |my )?(?:long |short |late )?\w+|(?:after|before) (?:the "
    "|my |a )?(?:lunch|dinner|break|meeting|coffee|weekend|interruption|call)|(?:had|have had) (?:my "
    r"|a )?(?:lunch|break|coffee|dinner)|danke (?:fur|furs) (?:die |das |den )?\w+|(?:entschuldigung?"
    r"|sorry) fur (?:die |den )?\w+|(?:nach|vor) (?:der |dem )?(?:mittags)?(?:pause|essen|mittagessen|wochenende"
    "|unterbrechung|besprechung)"
)
"""Words of politeness, words about the place of an interruption, and words that leave a question unchanged."""
_FILLERS = """
ok okay k please pls plz kindly so then now well alright right thanks thank thx ty you cheers great good fine nice
cool perfect sure yes yep yeah yup hey hi hello hiya howdy yo haha and but just also lets let us we s m re ll d i im
ive ill am forward forwards today again morning evening afternoon afternoons everyone all team folks guys the this
from here there where get getting yesterday last time night week previous session left off stopped ended ready back
returned could can should shall would will must do did with up to of at on it that me remind tell show give know
sorry delay wait interruption break pause lunch after before quick quickly short brief going working work task job
project plan list thing things stuff point doing were was been our bot mate buddy dear sir try want wanna gotta have
had far bitte kurzer kurze kurzes gib gebt mich euch habe haben hatten dran mal jetzt nun dann gut guten guter
morgen tag abend mittag mahlzeit moin servus hallo na danke und heute wieder doch einfach los ja ne bin da hier mach
mache machen macht machst wir ihr uns lass lasst las geh geht gehts gehen fahr fahre fahren fuhr fuhren setz setze
setzen arbeit arbeite arbeiten arbeitest es das daran damit gestern letztes letzten letzte ich bereit zuruck kannst
kann konnen konntest du sollen soll sollten wollen mochte wurde gerne gern nochmal noch einmal super prima klar
alles schon schnell kurz eben mir sag zeig bring erinner ran text wo waren sind aufgehort stehengeblieben stehen
geblieben der die den dem von ab an zum zur mit bis mittagspause nach unterbrechung freut freue gruss leute zusammen
alle okee oki jo nachster bitteschon tschuldigung entschuldigung verspatung projekt aufgabe thema sache
"""
FILLERS = frozenset(_FILLERS.split())
