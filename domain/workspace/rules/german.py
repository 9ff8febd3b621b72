"""Phrases of rules in German, and how sentences begin in it that tell or comfort and set none."""

from __future__ import annotations

import re

from domain.workspace.rules.english import weighed

_TAG = (
    r"(?:(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|heute|mittag|ende|spätestens)\b"
    r"|zum \d|\d|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
)
_ZAHL = r"(?:\d|(?:eine?[rnms]?|zwei|drei|vier|fünf|sechs|zehn|zwölf|zwanzig)\b)"
_DURABLE = (
    r"\b(?:nie|niemals|immer|stets|grundsätzlich|nur|ausschließlich|nicht|nichts|keine?[nrms]?|darauf|ohne|vorher"
    r"|erst|zuerst|künftig|bevor|jedes mal|jede[nrms]?|alle[ns]?|höchstens|maximal|überall|durchgehend)\b"
)
_DO = (
    "(?:frage?|lösche?|schreibe?|antworte|nimm|verwende|benutze|nutze|halte?|lass(?:e|t)?|achte|pass|vermeide"
    "|warte|denke?|sprich|gib|zeige?|setze?|stelle?|nenne?|mache?|ändere|veröffentliche|poste|sende|schicke?"
    "|prüfe?|teste?|speichere?|rede|beachte|bestelle?|kaufe?|rufe?|lege?|trage?|führe|teile?|melde|leite|kürze"
    "|runde|sag|sage)"
)
_WHO = r"\b(?:niemand|nichts|keiner|keine[rns]?|kein|alle[ns]?|jede[nrms]?)\b"
_NO_WORD = (
    "(?:ahnung|problem|sorge|angst|lust|zeit|frage|wunder|stress|thema|ursache|mehr|so|wieder|gedacht|im leben"
    r"|plan|scherz|witz|chance|grund|panik)\b"
)

GERMAN_WORDS = re.compile(
    r"(?i)\b(?:bitte|nicht|nichts|nie|niemals|niemand|immer|nur|kein\w{0,2}|darf\w{0,2}|dürf\w+|muss\w{0,2}"
    r"|müss\w+|soll\w*|ohne|bis|der|das|den|dem|ein\w{0,2}|wird|werden|ist|sind|ich|wir|du|mir|mich|dir|euch|auf"
    r"|und|zu|zum|zur|im|vor|nach|alle[ns]?|jede\w|ab|für|mit|von|beim?|über|merke?|wer|solange|stets|tabu|erst"
    r"|zuerst|vorher|dann|dran|alles|lass\w*|finger|denk\w*|bleib\w*|ohne|nur|bevor|verboten|uhr|maximal|höchstens"
    r"|mindestens|wichtig|frist|die)\b"
)
"""Words that one of which stands in about every German sentence; a look for them is cheaper than for all phrases."""

_THING = (
    r"(?!(?:das(?! (?:\w+ )?(?-i:[A-ZÄÖÜ]))|es|dies|da|hier|so|wie|wo|was|wer|man|ich|du|er|sie|wir|ihr|hoffentlich"
    r"|vielleicht|leider|alles (?:gute|klar))\b)"
)
_NO_SUBJECT = (
    r"(?!.*\b(?:ich|wir|er|es|sie|man|du|ihr|mir|dir|uns|mich|dich|war|waren|hat|haben|hatte\w*|ist|sind|wird"
    r"|wollen|wollte\w*|können|konnte\w*|möchte\w*|mag|mögen|würde\w*|gibt|gab|geht|ging\w*|kam\w*|lief\w*|sah\w*"
    r"|fand\w*|blieb\w*|stand\w*|saß\w*|lag|lagen|aß\w*|trank\w*|las|lasen|fuhr\w*|schlief\w*|rief\w*|traf\w*"
    r"|hielt\w*|ließ\w*|nahm\w*|(?-i:[a-zäöü])\w{2,}te|schon|leider|endlich|gestern|wieder)\b)"
)
"""Before a sentence without a verb that has a subject."""
_LIMIT = (
    r"\b(?:vor|nach|ohne|bis|erst|zuerst|vorher|immer|nie|niemals|nur|keine?[nrms]?|nicht|nichts|alle[ns]?"
    "|jede[nrms]?|über|unter|ab|stets|bevor|höchstens|maximal|mindestens|ausschließlich|grundsätzlich"
    r"|niemand\w*)\b"
)
_INFINITIVE = (
    "(?!(?:morgen|oben|unten|innen|außen|drinnen|draußen|zusammen|neben|gegen|wegen|zwischen|eben|sieben|allen"
    r"|keinen|einen|meinen|ihren|(?:ge|be|ver|er|ent|zer)(?:\w*(?:worden|wesen|laufen|gangen|kommen|fahren|gessen"
    r"|schlafen|troffen))|ge(?!hen|ben|nehm|brauch|stalt|winn|nieß|währ)\w+)\b)(?-i:[a-zäöü])\w{2,}(?:en|ern|eln)"
)
_WE_DO = (
    "(?:verwenden|nutzen|benutzen|siezen|duzen|liefern|verschicken|versenden|senden|schicken|veröffentlichen"
    "|posten|deployen|kaufen|bestellen|nehmen|geben|schreiben|antworten|speichern|löschen|akzeptieren|bezahlen"
    "|zahlen|arbeiten|testen|prüfen|reden|sprechen|nennen|machen|führen|bauen|drucken|lagern|öffnen|schließen"
    "|unterschreiben|teilen|zeigen|buchen|verkaufen|rufen|erstatten|kommunizieren|rechnen|runden|trennen|halten"
    "|treffen|reichen|beantworten|beliefern|tragen|stellen|verleihen|vermieten|rabattieren|diskutieren"
    r"|kommentieren|archivieren|übersetzen|planen|melden|\w{3,}ieren)"
)
_FIRMLY = (
    "(?:nur|ausschließlich|immer|stets|nie|niemals|grundsätzlich|keine?[nrms]?|nicht|nichts|alle[ns]?|jede[nrms]?"
    "|erst|generell|prinzipiell|überall|niemandem?|ohne)"
)

GERMAN = weighed(
    (0.6, rf"\bbitte\b.*{_DURABLE}"),
    (0.55, rf"(?:^|[,:;.] ?(?:und |dann |also )?)\W*{_DO}\b.*{_DURABLE}"),
    (
        0.6,
        r"\b(?:darf|dürfen|darfst|dürft)\b.*\b(?:nicht|nichts|nur|keine?[nrms]?|nie|niemals|höchstens|maximal|erst"
        r"|niemand)\b|\b(?:niemand|nichts|keiner|nur)\b.*\b(?:darf|dürfen)\b",
    ),
    (
        0.55,
        r"\b(?:muss|müssen|soll|sollen|sollten?|musst|sollst)\b.*\b(?:immer|stets|niemand|nichts|nie|nicht"
        r"|höchstens|mindestens|bevor|vorher|zuerst|erst|alle[ns]?|jede[nrms]?)\b(?!.*\bgewesen\b)",
    ),
    (0.55, rf"{_WHO}.*\b(?:soll(?:en|ten?)?|müssen|muss|wird|werden|darf|dürfen)\b"),
    (
        0.55,
        rf"\bbis (?:spätestens )?(?:zum |nächsten? |kommenden? )?{_TAG}.*\b(?:muss|müssen|soll|sollen|brauche"
        rf"|fertig)\b|\b(?:muss|müssen|soll|sollen|brauche)\b.*\bbis (?:spätestens )?(?:zum |nächsten? )?{_TAG}"
        r"|\bspätestens\b",
    ),
    (
        0.6,
        r"\bohne (?:\S+ ){0,2}(?:rücksprache|freigabe|zustimmung|erlaubnis|genehmigung|absprache|einverständnis"
        r"|zu fragen|ok)\b",
    ),
    (
        0.55,
        rf"^\W*(?:keine?[nrms]?|nie|niemals) (?!{_NO_WORD})\w+.*\b(?:in|im|am|an|auf|vor|nach|ohne|bis|während|über"
        r"|unter|für|zu|mehr als|ab|löschen|ändern)\b",
    ),
    (0.55, r"^\W*(?:bitte )?nicht (?:vor|nach|am|an|in|im|ohne|bis|mehr als|auf|bei|zwischen|während|über|zu)\b"),
    (
        0.5,
        r"\b(?:wird|werden) (?:\S+ ){0,2}(?:nicht|nie|niemals|nur|immer|keine?[nrms]?|nichts)\b.*\b\w+t\b"
        r"|\b(?:wird|werden) (?:nichts|niemand)\b",
    ),
    (
        0.65,
        r"\b(?:verboten|untersagt|nicht (?:erlaubt|gestattet|zulässig)|tabu|verpflichtend|zwingend|ausnahmslos"
        r"|auf (?:gar )?keinen fall|keinesfalls|unter keinen umständen)\b",
    ),
    (0.6, r"\b(?:ab (?:sofort|jetzt|heute)|von (?:jetzt|nun) an|künftig|zukünftig|grundsätzlich)\b"),
    (
        0.6,
        r"^\W*(?:bitte )?(?:merk(?:e|t)? (?:dir|euch)|denk(?:e|t)? (?:bitte )?(?:daran|dran)"
        r"|vergiss (?:bitte )?nicht|beachte|zur erinnerung|im zweifel)\b",
    ),
    (0.6, r"^\W*(?:wichtig|regel|frist|budget|abgabe|limit|vorgabe|achtung)\s?:"),
    (0.5, rf"\b(?:höchstens|maximal|nicht mehr als|mindestens) {_ZAHL}"),
    (
        0.5,
        r"\bmir wäre (?:es )?lieber\b|\bnennt? mich\b|\b(?:duze|sieze)\b|\bwir (?:nutzen|verwenden) (?:nur|immer"
        "|kein)",
    ),
    (
        0.5,
        r"\b(?:bleibt|bleiben) (?:bitte )?(?:unverändert|unangetastet|wie (?:er|sie|es)|geheim|vertraulich|intern"
        r"|zu\b)",
    ),
    (
        0.5,
        r"^\W*(?!(?:da|das|es|man|ich|er|sie|wir|du|ihr|jetzt|heute|gestern|dann)\b)(?:\S+ ){1,6}(?:muss|müssen"
        r"|soll|sollen|hat|haben) (?:\S+ ){1,6}(?:zu )?(?:stehen|bleiben|sein|liegen|heißen|haben|laufen|passen"
        r"|hängen|enden|beginnen|erfolgen|\w+(?:iert|t) werden)\b(?! (?:schön|toll|lustig))",
    ),
    (0.5, r"\bbrauch(?:e|en|t|st)\b.*\b(?:vorher|zuerst|erst|immer|freigabe|zustimmung|genehmigung)\b"),
    (
        0.5,
        r"\b(?:ist|sind) (?:tabu|gesperrt|vertraulich|geheim|geschlossen)\b|\bsolange\b.*\b(?:nicht|kein\w*|bleibt)\b",
    ),
    (0.5, r"^\W*(?:wer|wenn jemand|jeder, der)\b.*,"),
    (0.55, r"\b(?:immer|nie|niemals|stets|grundsätzlich|vorher|zuerst|nur) (?:\S+ ){0,3}\w{3,}en\W*$"),
    (0.5, r"^\W*bitte (?:nur|kürzere?|längere|weniger|mehr|keine?)\b"),
    (
        0.5,
        r"\b(?:zuerst|erst|immer) (?!war|waren|hat|kam|ging)(?:immer )?(?:\S+ ){1,4}(?:dann|danach)\b|\bgeh(?:t"
        r"|en)\b.*\b(?:erst|zuerst|vorher|vor|über)\b",
    ),
    (
        0.6,
        r"\b(?:lasst?|lassen sie) (?:bitte )?(?:die |eure |deine )?(?:finger|hände) (?:von|weg)\b|^\W*(?:finger"
        r"|hände) weg\b",
    ),
    (
        0.55,
        rf"^\W*{_THING}{_NO_SUBJECT}(?:\S+ ){{0,8}}?{_LIMIT}.*(?<![,;:]) {_INFINITIVE}\W*$",
    ),
    (
        0.55,
        rf"^\W*{_NO_SUBJECT}(?:nach|vor|ab|bis|im?|in|am|an|auf|bei|unter|über|während|zwischen|ohne|für|mit"
        r"|außerhalb|innerhalb|\w+(?:tags|nachts|abends|morgens)|nachts|abends|morgens) (?:\S+ ){0,5}?(?:bitte )?"
        r"(?:kein\w*|nichts|niemand\w*|nur|höchstens|maximal|immer|erst|nie|niemals) \S+(?: \S+){0,5}\W*$",
    ),
    (
        0.5,
        rf"^\W*{_NO_SUBJECT}(?:immer|stets|nie|niemals|nur|erst|zuerst) (?:\S+ ){{1,6}}(?:rein|raus|an|aus|zu|auf"
        r"|ab|weg|hin)\W*$",
    ),
    (
        0.5,
        rf"^\W*{_THING}(?:die|der|das|alle[ns]?|jede[nrms]?|unser\w*|beide|\w+)(?: \S+){{0,5}}? bleib(?:t"
        "|en)(?<!frage bleibt)(?! (?:abzuwarten|spannend|die frage|mir|uns|schön|warm|kalt|sonnig|trocken|heiß"
        r"|so\b|noch|sitzen|stehen|cool|spaß)) (?!.*\b(?:wetter|hoffe|hoffentlich|gestern|ich)\b)\S",
    ),
    (
        0.5,
        rf"^\W*(?:bei uns |hier |montags |intern )?wir {_WE_DO}\b (?:.*\b)?{_FIRMLY}\b(?! (?:mehr|so|wieder|zu"
        r"|ganz)\b)",
    ),
    (0.5, rf"\b{_WE_DO} wir (?:.*\b)?{_FIRMLY}\b(?! (?:mehr|so|wieder|zu|ganz)\b)"),
    (
        0.5,
        r"^\W*(?:alles|jede[rns]? \S+|alle \S+)(?: \S+){0,6}? (?:geht|gehen|braucht|brauchen|läuft|laufen|gehört"
        r"|gehören|bekommt|bekommen|wartet|warten|benötigt|benötigen|trägt|tragen)\b(?! (?:gut|schief|mir|dir|uns"
        "|mal|vorbei))",
    ),
    (
        0.5,
        rf"^\W*{_NO_SUBJECT}(?:\S+ ){{1,4}}(?:nur|erst|nie|niemals|nicht|immer) (?:über|mit|ohne|nach|vor|bei|durch"
        rf"|an|auf|per|im|am) \S+(?: \S+){{0,2}}\W*$",
    ),
    (
        0.5,
        rf"^\W*{_NO_SUBJECT}nur (?:mit|ohne|in|an|auf|bei|nach|für|von|zu|im|am|zwischen|durch|über)\b(?: \S+){{2,}}",
    ),
    (0.55, r"\bgehör(?:t|en) (?:\S+ ){0,2}(?:nicht|nie|niemals|nur|immer|ausschließlich)\b"),
    (
        0.55,
        r"\b(?:gilt|gelten|herrscht|besteht|haben wir)\b.*\b\w*(?:pflicht|verbot|zwang|ruhe|limit|obergrenze"
        r"|sperre)\b|\b(?:hat|haben) (?:\S+ ){0,2}(?:keinen?|nur) (?:zutritt|zugang|zugriff|recht|anspruch"
        r"|einsicht)\b",
    ),
    (
        0.5,
        r"^\W*jede[rs]?(?: \w+)? (?:unterschreibt|trägt|meldet|bringt|zahlt|räumt|putzt|prüft|schließt|liest|nutzt"
        r"|verwendet|führt|wäscht|desinfiziert|bucht|schreibt|kontrolliert|sichert|speichert)\b",
    ),
    (0.5, rf"^\W*{_NO_SUBJECT}(?:beim|bei) (?:\S+ ){{2,6}}{_INFINITIVE}\W*$"),
    (
        0.55,
        r"(?:^|[,:;.] )\W*(?:fragt|nehmt|schreibt|gebt|zeigt|sagt|stellt|löscht|benutzt|verwendet|ruft|schickt"
        r"|sendet|legt|haltet|achtet|öffnet|fasst|teilt|redet|sprecht|kauft|bestellt)\b(?! (?:er|sie|man|ihr|mir"
        rf"|es|das|ja|doch|nichts|nur)\b).*{_DURABLE}",
    ),
    (
        0.5,
        r"\b(?:nur|erst|nichts|niemand|keine?[rsnm]?)\b.*\b(?:mit|nach|über|ohne|von|durch) (?:\S+ ){0,2}(?:ok"
        "|okay|freigabe|zustimmung|rücksprache|absprache|anmeldung|termin|unterschrift|quittung|genehmigung"
        r"|erlaubnis|einwilligung)\b",
    ),
)
"""Anywhere in a sentence that is no tale of a person."""

GERMAN_TOLD = weighed(
    (0.6, r"\bich (?:möchte|will|hätte gern|wünsche mir|erwarte),? (?:\S+ )?(?:dass|keine?[nrms]?|nicht|nur|nie)\b"),
    (0.6, r"\b(?:verträgt|vertrage|verträgst) (?:keine?|nicht)\b|\ballergisch gegen\b"),
)
"""Anywhere."""

GERMAN_NARRATED = re.compile(
    r"(?i)\W*(?:(?:ja|nein|und|aber|also|doch|naja|oh|dann|da|gestern|damals|heute)\b[, ]*)*(?:ich|er|wir waren"
    r"|wir haben|hatte|war|das (?:muss|war|ist)|meine? \w+|sie (?:hat|war|darf))\b"
)

GERMAN_CONSOLING = re.compile(
    r"(?i)\b(?:sorgen|kopf|stress|angst|vorwürfe|gedanken|hoffnung|mut|panik|traurig|verrückt|unterkriegen"
    "|aufgeben|aufregen|nicht wahr|nicht dein ernst|nichts? draus|wird schon|alles gut|glaub(?:t|e)? (?:an|mir)"
    r"|genieß\w*|viel spaß|gönn\w*|pass(?:t)? (?:gut )?auf (?:dich|euch)|ruh\w* (?:dich|euch)|gesund"
    r"|gute besserung|lächeln|träum\w*|stolz|haha\w*)\b|^\W*(?:was|wie|wo|wann|warum|wieso) (?!immer\b)"
)
"""Words of comfort or wonder, which set no rule."""
