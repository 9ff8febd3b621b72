"""Second and third list of rules: other domains and wordings, written before a look at the selection of words."""

from __future__ import annotations

from collections.abc import Mapping

SECOND: Mapping[str, str] = {
    "en": """
        [Dr. Voss] decides on dosages, not us, so pass any such question on to her.
        The hives by the road get [no sugar water] after the first of September.
        Treat the understudy list as [closed to the press].
        I'd rather you [asked twice than pruned once], those apple trees are older than I am.
        When the wind is above [five Beaufort] the dinghies stay ashore.
        Subtitles: [two lines at most], and nothing over forty characters.
        For the marathon, volunteers under [sixteen] only work with a parent beside them.
        Mind that the printer on bench three takes [PETG only].
        Nobody edits chapter four until [my supervisor] has returned it.
        Keep the server's [whitelist] as it is, even when somebody begs.
    """,
    "de": """
        Die Bratschen bekommen ihre Noten [eine Woche vorher], sonst gibt es Ärger.
        Nach der Spritze darf das Pferd [drei Tage] nicht geritten werden.
        Am Set duzen wir uns, [nur Herr Brandt] wird gesiezt.
        Die Karten für die [Generalprobe] sind nicht verkäuflich.
        Wer den Schlüssel zum Bootshaus holt, [trägt sich ein].
        Mir ist wichtig, dass im Protokoll [keine Spitznamen] stehen.
        Beete sieben und acht [gehören der Schule], da wird nichts gepflanzt.
        Das Filament aus der roten Kiste nehmen wir [nur für Prototypen].
        Bei Gewitter kommt die Jugend [sofort vom Wasser].
        Zitate bitte stets mit [Seitenzahl und Auflage].
    """,
    "fr": """
        Les ruches du fond, [personne n'y touche] avant la visite du vétérinaire.
        Au théâtre on n'écrit pas [le mot corde], fais attention dans les annonces.
        Le bateau rentre au port [avant la nuit], quoi qu'il arrive.
        Ordonnances : [deux relectures] avant la délivrance.
        Je tiens à ce que les dossards impairs soient [pour les dames].
        Garde les sous-titres [sous les quarante signes].
        La réserve de semences anciennes [ne se prête pas].
        Toute dépense au-dessus de [soixante euros] passe par Odile.
        Les figurants mineurs quittent le plateau [à dix-huit heures].
        Mets toujours [l'unité entre crochets] dans les tableaux du mémoire.
    """,
    "es": """
        A la yegua vieja [no se le da avena], que luego cojea.
        El estreno se anuncia [el martes, no antes].
        Los dorsales rojos son [para los sanitarios].
        Con [mar de fondo] no salimos, aunque insistan.
        La traducción respeta [el tuteo] del original.
        Quien abra la farmacia de noche [avisa a Lucía].
        Las colmenas del norte se revisan [solo con humo frío].
        Mantén los planos [en escala uno a cincuenta].
        Hasta que firme el tutor, [el capítulo tres] no se manda a nadie.
        En el rodaje, [móviles apagados] desde la claqueta.
    """,
    "zh": """
        排练厅[晚上十点以后]不开空调。
        蜂箱只能由[老吴]打开。
        字幕每行[不超过十四个字]。
        打印件先[静置一夜]再上漆。
        马打完针[三天内]不能骑。
        风力超过[六级]就不出海。
        论文里的图[一律用黑白]。
        处方要[两个人核对]才能发药。
        志愿者的[电话号码]别写在公告里。
        片场[不许拍照],导演说了好几次。
    """,
    "ja": """
        蜂の巣箱は[森さん]だけが開けます。
        字幕は一行[十三文字まで]にしてね。
        風速が[八メートル]を超えたら出航しません。
        台本の[第二幕]はまだ誰にも見せないこと。
        注射の後、[三日間]は馬に乗らないでください。
        処方箋は[二人で確認]してから渡すように。
        図表の単位は[角括弧]に入れてください。
        合鍵を借りた人は[名前を書く]決まりです。
        撮影中は[携帯を切って]おいてください。
        赤いゼッケンは[救護班]のものです。
    """,
}
"""Language -> rules, a line each; brackets mark the decisive part."""
THIRD: Mapping[str, str] = {
    "en": """
        Ring the bell [twice, not once], when the ferry is late.
        Our treasurer signs; [the deputy doesn't].
        Glue only [with the window open].
        Guests with a cane get [seats on the aisle].
    """,
    "de": """
        Das Archiv verleiht [nichts aus Mappe neun].
        Vor dem Brennen wird jede Vase [zweimal gewogen].
        Kinder unter acht fahren nur [mit Schwimmweste] mit.
        Die Rede bleibt [unter sieben Minuten].
    """,
    "fr": """
        Le four ne dépasse pas [neuf cents degrés].
        Chaque lettre finit par [bien fraternellement].
        Les clés de la chapelle restent [chez Maud].
        On compte les tours [à partir de zéro].
    """,
    "es": """
        El coro ensaya [sin micrófono].
        Nunca se mezclan [las dos levaduras].
        Las actas las guarda [solo Begoña].
        Cobra [la mitad por adelantado].
    """,
    "zh": """
        窑温[最高一千度]。
        信件结尾写[顺颂时祺]。
        小船上必须[穿救生衣]。
        定金[收三成]。
    """,
    "ja": """
        合唱の練習は[マイクなし]です。
        議事録は[早川さん]が保管します。
        花瓶は焼く前に[二回量って]ください。
        手付金は[三割]いただくこと。
    """,
}
