"""Phrases of rules in German, Chinese and Japanese, and how sentences begin or end in them that set none."""

from __future__ import annotations

import re

from domain.workspace.rules.english import weighed

_TAG = (
    r"(?:(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|heute|mittag|ende"
    r"|spätestens)\b|zum \d|\d"
    r"|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
)
_ZAHL = r"(?:\d|(?:eine?[rnms]?|zwei|drei|vier|fünf|sechs|zehn|zwölf|zwanzig)\b)"
_DURABLE = (
    r"\b(?:nie|niemals|immer|stets|grundsätzlich|nur|ausschließlich|nicht|nichts|keine?[nrms]?|darauf|ohne|vorher|erst"
    r"|zuerst|künftig|bevor|jedes mal|jede[nrms]?|alle[ns]?|höchstens|maximal|überall|durchgehend)\b"
)
_DO = (
    r"(?:frage?|lösche?|schreibe?|antworte|nimm|verwende|benutze|nutze|halte?|lasse?|achte|pass|vermeide|warte|denke?"
    r"|sprich|gib|zeige?|setze?|stelle?|nenne?|mache?|ändere|veröffentliche|poste|sende|schicke?|prüfe?"
    r"|teste?|speichere?"
    r"|rede|beachte|bestelle?|kaufe?|rufe?|lege?|trage?|führe|teile?|melde|leite|kürze|runde|sag|sage)"
)
_WHO = r"\b(?:niemand|nichts|keiner|keine[rns]?|kein|alle[ns]?|jede[nrms]?)\b"
_NO_WORD = (
    r"(?:ahnung|problem|sorge|angst|lust|zeit|frage|wunder|stress|thema|ursache|mehr|so|wieder|gedacht|im leben|plan"
    r"|scherz|witz|chance|grund|panik)\b"
)

GERMAN_WORDS = re.compile(
    r"(?i)\b(?:bitte|nicht|nichts|nie|niemals|niemand|immer|nur|kein\w{0,2}|darf\w{0,2}|dürf\w+|muss\w{0,2}"
    r"|müss\w+|soll\w*|ohne"
    r"|bis|der|das|den|dem|ein\w{0,2}|wird|werden|ist|sind|ich|wir|du|mir|mich|dir|euch|auf|und|zu|zum|zur"
    r"|im|vor|nach|alle[ns]?"
    r"|jede\w|ab|für|mit|von|beim?|über|merke?|wer|solange|stets|tabu|maximal|höchstens|mindestens|wichtig|frist|die)\b"
)
"""Words that one of which stands in about every German sentence; a look for them is cheaper than for all phrases."""

GERMAN = weighed(
    (0.6, rf"\bbitte\b.*{_DURABLE}"),
    (0.55, rf"(?:^|[,:;.] ?(?:und |dann |also )?)\W*{_DO}\b.*{_DURABLE}"),
    (
        0.6,
        r"\b(?:darf|dürfen|darfst|dürft)\b.*\b(?:nicht|nichts|nur|keine?[nrms]?|nie|niemals|höchstens"
        r"|maximal|erst|niemand)\b"
        r"|\b(?:niemand|nichts|keiner|nur)\b.*\b(?:darf|dürfen)\b",
    ),
    (
        0.55,
        r"\b(?:muss|müssen|soll|sollen|sollten?|musst|sollst)\b.*\b(?:immer|stets|niemand|nichts|nie|nicht|höchstens"
        r"|mindestens|bevor|vorher|zuerst|erst|alle[ns]?|jede[nrms]?)\b(?!.*\bgewesen\b)",
    ),
    (0.55, rf"{_WHO}.*\b(?:soll(?:en|ten?)?|müssen|muss|wird|werden|darf|dürfen)\b"),
    (
        0.55,
        rf"\bbis (?:spätestens )?(?:zum |nächsten? |kommenden? )?{_TAG}.*\b(?:muss|müssen|soll|sollen|brauche|fertig)\b"
        rf"|\b(?:muss|müssen|soll|sollen|brauche)\b.*\bbis (?:spätestens )?(?:zum |nächsten? )?{_TAG}|\bspätestens\b",
    ),
    (
        0.6,
        r"\bohne (?:\S+ ){0,2}(?:rücksprache|freigabe|zustimmung|erlaubnis|genehmigung|absprache"
        r"|einverständnis|zu fragen"
        r"|ok)\b",
    ),
    (
        0.55,
        rf"^\W*(?:keine?[nrms]?|nie|niemals) (?!{_NO_WORD})\w+.*\b(?:in|im|am|an|auf|vor|nach|ohne|bis"
        rf"|während|über|unter"
        r"|für|zu|mehr als|ab|löschen|ändern)\b",
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
        r"^\W*(?:bitte )?(?:merk(?:e|t)? (?:dir|euch)|denk(?:e|t)? (?:bitte )?(?:daran|dran)|vergiss (?:bitte )?nicht"
        r"|beachte|zur erinnerung|im zweifel)\b",
    ),
    (0.6, r"^\W*(?:wichtig|regel|frist|budget|abgabe|limit|vorgabe|achtung)\s?:"),
    (0.5, rf"\b(?:höchstens|maximal|nicht mehr als|mindestens) {_ZAHL}"),
    (
        0.5,
        r"\bmir wäre (?:es )?lieber\b|\bnennt? mich\b|\b(?:duze|sieze)\b|\bwir (?:nutzen|verwenden) (?:nur|immer|kein)",
    ),
    (
        0.5,
        r"\b(?:bleibt|bleiben) (?:bitte )?(?:unverändert|unangetastet|wie (?:er|sie|es)|geheim|vertraulich"
        r"|intern|zu\b)",
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
        r"\b(?:zuerst|erst|immer) (?:immer )?(?:\S+ ){1,4}(?:dann|danach)\b|\bgeh(?:t|en)\b.*\b(?:erst"
        r"|zuerst|vorher|vor|über)\b",
    ),
)
"""Anywhere in a sentence that tells of nobody."""

GERMAN_TOLD = weighed(
    (0.6, r"\bich (?:möchte|will|hätte gern|wünsche mir|erwarte),? (?:\S+ )?(?:dass|keine?[nrms]?|nicht|nur|nie)\b"),
    (0.6, r"\b(?:verträgt|vertrage|verträgst) (?:keine?|nicht)\b|\ballergisch gegen\b"),
)
"""Anywhere."""

GERMAN_NARRATED = re.compile(
    r"(?i)\W*(?:(?:ja|nein|und|aber|also|doch|naja|oh|dann|da|gestern|damals|heute)\b[, ]*)*(?:ich|er"
    r"|wir waren|wir haben"
    r"|hatte|war|das (?:muss|war|ist)|meine? \w+|sie (?:hat|war|darf))\b"
)

CHINESE = weighed(
    (
        0.6,
        r"禁止|严禁|嚴禁|不得|切勿|务必|務必|不准|不许|不許|未经|未經|请勿|請勿|永远不要|永遠不要|绝不能"
        r"|絕不能|只能|只允许|一律"
        r"|从现在起|從現在起|以后都|以後都|今后|今後|请记住|請記住|记住|最多|不超过|不超過|截止|之前(?:必须"
        r"|要完成|完成)",
    ),
    (0.6, r"[请請].{0,6}(?:始终|始終|总是|總是|一定|都|只|不要|别|別|先|用.{1,4}(?:回答|回复|回覆))"),
    (0.55, r"(?:不要|别|別|必须|必須|一定要|不能|都[用要]|[每先].{1,8}[先再都])(?!紧|緊)"),
)
CHINESE_NARRATED = re.compile(
    r"^\W*[我他她](?!们?(?:需要|要求|希望)[你您])|别担心|別擔心|不要紧|不要緊|别放弃|別放棄|不要难过|不要太"
    r"|[吗嗎呢]\W*$|(?:什么|什麼|怎么|怎麼|哪|谁|誰|几|幾|多少|为何|為何).*[?\uff1f]\W*$|别客气|别人|了\W*$"
)

JAPANESE = weighed(
    (
        0.6,
        r"ないで(?:ください|下さい|ね|ほしい|欲しい)?\W*$|ないようにして|てはいけ|てはなら|ではいけ"
        r"|ちゃだめ|禁止|厳禁|ご遠慮"
        r"|控えて|許可なく|無断で|覚えておいて",
    ),
    (
        0.55,
        r"(?:必ず|絶対に|決して|常に|いつも|毎回|今後は|これからは|以後).*(?:ください|下さい|こと|ように"
        r"|ないで|て\W*$|なければ)",
    ),
    (0.5, r"(?:だけ|のみ).*(?:ください|下さい|こと|して)|(?:まで|以内|以下|以上)に.*(?:ください|下さい|こと|なければ)"),
    (0.5, r"前に.*(?:確認|聞いて|相談|許可).*(?:ください|下さい|て)"),
)
JAPANESE_NARRATED = re.compile(
    r"心配しないで|気にしないで|あきらめないで|諦めないで|無理しないで|(?:ます|です|でしょう|ました)か?\W*$"
    r"|^\W*(?:私|僕|俺|彼|彼女)[はがも]"
)
