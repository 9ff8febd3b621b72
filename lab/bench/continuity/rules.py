"""Rules as people mention rules in passing, in six languages, in three lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lab.bench.continuity.more_rules import SECOND, THIRD


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in a person's words."""

    text: str
    key: str
    """Decisive part of the words; found in no other message."""


def read_rules(lists: Mapping[str, str]) -> dict[str, tuple[Rule, ...]]:
    """Language -> rules, from lines with the decisive part in brackets."""
    marked = re.compile(r"\[(.*?)\]")
    return {
        language: tuple(
            Rule(marked.sub(r"\1", line.strip()), marked.findall(line)[0]) for line in text.strip().splitlines()
        )
        for language, text in lists.items()
    }


def _rules(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(text, key) for text, key in pairs)


RULES: dict[str, tuple[Rule, ...]] = {
    "en": _rules(
        ("Before I forget: nobody but Ines may sign off on a tenancy agreement.", "Ines may sign off"),
        ("Letters to the council go out on paper, they ignore their e-mail.", "go out on paper"),
        ("We don't name suppliers in anything that customers can read.", "name suppliers"),
        ("If the pH drops below 6.4 you stop and ring me, day or night.", "below 6.4"),
        ("Please keep every summary under ninety words from now on.", "under ninety words"),
        ("The blue folder is off limits, legal has it under seal until the hearing in March is over.", "blue folder"),
        ("Can you make sure the backup has run before you touch the ledger tables?", "before you touch the ledger"),
        (
            "Round all quotes up to the next full ten euros, as my father always did.",
            "full ten euros",
        ),
        ("Only metric units, Pavel gets lost with inches.", "Only metric units"),
        ("Whatever happens, the Hartmann job is not to be mentioned while Theo is in the channel.", "Hartmann job"),
        (
            "One more thing about the bookings, and it matters more than all else: a room promised to the choir "
            "stays theirs even if a paying guest asks, unless their leader has let it go in writing two days ahead.",
            "two days ahead",
        ),
    ),
    "de": _rules(
        ("Rechnungen über 800 Euro gehen nur mit zwei Unterschriften raus.", "über 800 Euro"),
        ("Bitte sprich die Kundin immer mit Frau Doktor Aslan an, sie legt Wert darauf.", "Doktor Aslan"),
        ("Freitags nach zwölf wird nichts mehr ausgerollt.", "Freitags nach zwölf"),
        ("Der Ordner Altlasten bleibt, wie er ist, den räumt niemand auf.", "Ordner Altlasten"),
        ("Kannst du bei Zahlen bitte überall das Komma nehmen und keinen Punkt?", "überall das Komma"),
        ("Wenn der Pegel über vier Meter steigt, wird die Pumpe abgeschaltet und Jonas angerufen.", "über vier Meter"),
        ("Ohne Freigabe vom Betriebsrat keine Dienstpläne verschicken.", "Freigabe vom Betriebsrat"),
        ("Über das Erbe reden wir hier nicht, solange meine Schwester mitliest.", "meine Schwester mitliest"),
        ("Für die Kita gilt: keine Fotos mit Gesichtern, auch nicht von hinten schräg.", "keine Fotos mit Gesichtern"),
        ("Die Proben heißen P plus Tag plus laufende Nummer, nie anders.", "P plus Tag"),
    ),
    "fr": _rules(
        ("Les devis partent toujours avec la mention du délai de rétractation.", "délai de rétractation"),
        ("On ne livre jamais rue des Lilas avant neuf heures, la gardienne se plaint.", "rue des Lilas"),
        ("Tu me demandes avant de supprimer quoi que ce soit dans le dossier Archives.", "dossier Archives"),
        ("Le budget des fleurs, c'est 350 euros et pas un centime de plus.", "350 euros"),
        ("Pas d'anglicismes dans les textes pour la mairie, ils nous les renvoient.", "anglicismes"),
        ("Peux-tu signer chaque courrier « l'équipe du Moulin » ?", "équipe du Moulin"),
        ("Quand Samir est de garde, c'est lui qu'on appelle, pas le standard.", "Samir est de garde"),
        ("Les prénoms des enfants ne sortent pas de cette conversation.", "prénoms des enfants"),
        ("La salle du fond reste fermée à clé tant que l'expert n'est pas passé.", "salle du fond"),
        ("Arrondis les durées au quart d'heure supérieur dans les relevés.", "quart d'heure supérieur"),
    ),
    "es": _rules(
        ("Nada de publicar precios con IVA incluido, la gestora nos lo prohibió.", "IVA incluido"),
        ("A los proveedores se les paga el día quince, ni antes ni después.", "el día quince"),
        ("Si llama la prensa, contesta solo Remedios.", "contesta solo Remedios"),
        ("El horno pequeño no pasa de 180 grados, que salta el diferencial.", "180 grados"),
        ("Los correos a la cooperativa, siempre en catalán.", "siempre en catalán"),
        ("No toques la rama estable sin que lo haya visto Iker.", "rama estable"),
        ("¿Puedes poner siempre la hora en formato de veinticuatro horas?", "veinticuatro horas"),
        ("Las facturas de la huerta van aparte, con la serie H.", "serie H"),
        ("De la operación de mi madre no se habla delante del resto.", "operación de mi madre"),
        ("Cada pedido lleva dos fotos, una con la báscula a la vista.", "báscula a la vista"),
    ),
    "zh": _rules(
        ("合同一律由法务小周过目之后才能发出去。", "法务小周"),
        ("周三晚上不要安排任何直播,房东会投诉。", "周三晚上"),
        ("客户的真实姓名不许写进表格,用编号代替。", "用编号代替"),
        ("库存低于三十箱就马上通知老陈。", "低于三十箱"),
        ("对外的文案里别出现“最”字,上次被罚过。", "别出现“最”字"),
        ("照片发之前能不能都把车牌打上码?", "把车牌打上码"),
        ("这批茶样只寄顺丰,别的快递不行。", "只寄顺丰"),
        ("会议纪要最多写五条,多了没人看。", "最多写五条"),
        ("西边仓库的钥匙不外借,谁来都不行。", "西边仓库的钥匙"),
        ("报价有效期统一写七天。", "统一写七天"),
        ("我妹妹在群里的时候不要提搬家的事。", "不要提搬家"),
    ),
    "ja": _rules(
        ("見積書は必ず税抜きで出してください。", "必ず税抜き"),
        ("佐伯さんの承認なしに発注しないこと。", "佐伯さんの承認"),
        ("夜九時以降は大家さんに連絡しないでください。", "夜九時以降"),
        ("敬称はすべて「様」で統一します。", "「様」で統一"),
        ("写真はアルバムに入れる前に位置情報を消してもらえますか?", "位置情報を消して"),
        ("窯の温度が千二百度を超えたら止めて、私に知らせてください。", "千二百度"),
        ("赤い付箋の棚には触らないこと、検査が終わるまでです。", "赤い付箋の棚"),
        ("報告は三行以内でお願いします。", "三行以内"),
        ("母の入院のことは他の人の前で話さないで。", "母の入院"),
        ("納期は営業日で数えること、暦日ではありません。", "営業日で数える"),
    ),
}
"""Language -> rules; each language is a separate conversation."""
LISTS = {"first": RULES, "second": read_rules(SECOND), "third": read_rules(THIRD)}
