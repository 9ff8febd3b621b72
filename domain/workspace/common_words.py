"""Common words: which of them say nothing of what a message is about, and which say little.

Written by hand for this judgement; a word that stands in no list is rare, for a list of rare ones has no end. Words
are in lower case, without accents.
"""

from __future__ import annotations

from domain.memory.keywords import STOP_WORDS

_EMPTY_EN = """
aint alright although am among anybody anyone anything anyway around aren away back became become because before below
beside between beyond came cannot come comes coming couldn didn doesn doing done dont else enough etc even ever every
everybody everyone everything except far fine first furthermore gave get gets getting give given gives giving go goes
going gone gonna good got gotten great hadn hasn haven hello hey hi however hmm huh id ill im instead isn itself ive
kind kinda last later least less let lets like likely little long look lot lots made main make makes making many maybe
mean means morning mr mrs much mustn myself near nearly need needs never new next nice nobody none nothing now often oh
ok okay old once one ones onto ought ours ourselves perhaps please plenty pretty probably put quite rather really right
said saw say says see seem seems seen several shouldn since sir somebody somehow someone something sometimes somewhere
soon sorry stuff sure take taken takes taking tell ten thank thanks theirs themselves therefore thing things think
though three through thus time times today together tomorrow tonight took toward towards tried tries try trying two
unless until upon use used uses using usually want wanted wants wasn way ways welcome well went weren whatever whenever
wherever whether whichever while whoever whole within without won wonder wont work works worked working would wouldn
wow wrong yeah yes yesterday yet yourself yourselves able actual actually add added ago ask asked asking bad best better
big bit call called change changed check close day days different easy end exactly feel felt few find first found full
general half happen happened happens happy hard help helped helps high hope hour hours idea important interesting keep
kept knew know known knows large late left life line list live made minute minutes minor moment month months move name
night number only open order part people person place plan point possible problem question ran read ready real reason
remember remind run same second seconds set short show side simple small someone start started starting still stop such
talk talking team thought today told top true turn understand wait watch week weekend weeks word words world write
written wrote year years afternoon evening answer appreciate awesome basically case certain cool course current
currently explain face fact fun funny guess guy guys hand hear heard hold home house kid kids learn leave love matter
meet meeting mind miss money normal note page pick piece play quick quickly rest room sense share shall sleep somebody
sort sound sounds special stay story suggest suggestion suppose tired topic type usual version view weather wish worry
bye cheers congratulations cheer dear goodbye joke lol haha nope ping pong hm um yep thx ty brb np alex fyi btw asap etc
"""
_EMPTY_DE = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
bis bist bitte bloss da dabei dafur dagegen daher damit danach daneben danke dann daran darauf daraus darf darfst darin
darum das dass davon davor dazu dein deine deinem deinen deiner dem den denn der deren des deshalb dessen dich die dies
diese diesem diesen dieser dieses dir doch dort du durch durfen eben ein eine einem einen einer eines einfach einige
einmal er erst es etwas euch euer eure fast fur gab gar ganz geben gegen gegeben gehen geht gemacht genau gerade gern
gerne gibt gibst ging gleich gut gute guten guter gutes hab habe haben habt hallo hast hat hatte hatten hattest hatte
heute hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins irgendwie ist ja jede jedem
jeden jeder jedes jemand jetzt kann kannst kein keine keinem keinen keiner konnen konnte konntest kommen kommt lass
lassen leider macht machen machst mach mal man manche mehr mein meine meinem meinen meiner mich mir mit morgen muss
mussen musst mochte mochten nach nacht naturlich nein nicht nichts nie noch nun nur ob oben oder ohne okay prima recht
sag sagen sagt schon schnell schon sehr sei sein seine seinem seinen seiner seit selbst sich sie sind so sogar soll
sollen sollte sollten somit sonst stehen steht tag tage tagen tun tust uber uhr um und uns unser unsere unserem unseren
unserer unter viel viele vielen vielleicht vom von vor wann war waren warst warum was weil weiss weiter welche welchem
welchen welcher welches wenig wenn wer werde werden wessen wie wieder will willst wir wird wirklich wo woche wochen
woher wohin wollen wollte worden wurde wurden zeit ziemlich zu zuerst zum zur zwar zwei zwischen finde finden findest
frage fragen hilfe helfen hilf jahr jahre klar leute letzte letzten monat nachste nachsten neu neue neuen schreib
schreiben spater stimmt super tipp toll wetter witz wort worter erklar erklaren erzahl zeig zeigen brauche brauchen
brauchst gestern halt wusste wissen weisst denke denken glaube glauben moment beispiel kurz bisschen lieber echt mag
"""
_EMPTY_ROMANCE = """
alors aussi avec avoir bien bonjour ca ce cela ces cette ceux chez comme comment dans de des donc du elle elles en est
et etait ete etre eux fait faire il ils je la le les leur leurs lui ma mais merci mes moi mon ne nos notre nous on ou
par pas peut plus pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous sur ta te
tes toi ton tous tout tres tu un une vos votre vous al algo como con cual cuando de del donde el ella ellos en entre era
es esa ese eso esta estan estas este esto estos fue gracias ha hace hay hola la las le lo los mas me mi mis mucho muy no
nos nosotros o para pero por porque puede que quien se ser si sin sobre son su sus tambien te tiene todo tu tus un una
uno unos y ya yo come che chi ciao con cosa della delle di dove e gli grazie il io loro non per piu sono una voi een het
ik is je maar met niet of ook op te van voor wat wij zijn
"""
_LIGHT_EN = """
accept account across action active address advice afraid agree air allow almost alone along already anybody apart app
apply area arm arrive article aside attention available average avoid aware bag base basic basis beautiful bed begin
beginning behave behind believe bill birthday body book books born bother bottom box boy break breakfast bring brother
brought build building built busy business buy calendar car care careful carry catch cause center central century chance
chapter character chat child children choice choose city class clear clearly coffee cold color colour company compare
complete completely computer concept concern condition consider contact contain content context continue control copy
correct cost country couple cover create created creating cut daily data date daughter dead deal death decide decided
decision deep deliver describe description design detail details develop development difference difficult dinner
direct direction directly discuss document dog door double doubt draft draw dream drink drive drop early earth
eat edit effect effort either email emails english entire environment error especially essay event events evidence
example examples excellent exist expect expensive experience express extra eye eyes fail failed fall false family famous
fast father favorite favourite figure file files fill final finally fire fit fix fixed floor folder follow following
food foot force forget forgot form format forward free fresh friday friend friends front future game games garden girl
goal ground group grow hair head health heart heat heavy hello hobby holiday hot hotel human hundred husband image
imagine improve include including increase inside interest internet invite issue item items job join keyboard key land
language law lead level library light limit link local loss lost low lunch machine mail manage manager mark market
material math maximum meal measure media medical member members memory mention menu message messages method middle
million minimum model modern monday monthly mother mountain mouth movie moving music nation natural nature necessary
neither news normally notes notice object obvious offer office oil online opinion option options original outside own
paper paragraph parent parents park particular partner party pass past pay perfect period phone photo phrase physical
picture plane plant plate poem poetry political poor popular position power practice prefer prepare present press price
print private process product program programming progress project projects promise proper protect prove provide public
pull purpose push quality quarter quote rain raise random range rate reach recent recently recipe recommend
recommendation record red reduce regular relate relationship release remain remove repeat replace reply report request
require research resource response restaurant result results return review ride ring rise risk road rock role rule rules
safe sale save schedule school science score search season section sell send sent sentence sentences separate series
serious serve service session shape shop shopping shot shut sick sign significant similar single sister sit site size
skill skills skin slow slowly smart social software solution solve son song space speak specific speed spend sport
stand standard star state station status step steps stone store straight street strong structure student study style
subject success successful suddenly sugar summarise summarize summary summer sun sunday support surprise system table
task tasks taste teach teacher technology television term test tests text theory third thousand throw thursday ticket
tip tips title tool tools total town track trade traffic train training translate translation travel tree trip trouble
trust tuesday typical unit update upper user users vacation value various video visit voice vote walk wall war warm
wash water wear website wednesday weight white wife wind window winter woman women wonderful wood worse worst worth
write writing yellow young saturday answer answers black blue green brown grey question questions thinking morning
january february march april june july august september october november december spring autumn fall
"""
_LIGHT_DE = """
abend adresse anfang anfrage angebot antwort anzeige app arbeit arbeiten arbeitet artikel aufgabe aufgaben auto bad
bahn bericht besser besonders besprechung bestellung bild bilder blatt brief bruder buch bucher buro chef daten datei
dateien datum deutsch deutschland dienstag ding dinge donnerstag eltern ende englisch entscheidung entschieden
entscheiden ergebnis erinnere erinnern erinnerung essen fahren fahrt familie farbe fehler fertig fest firma foto frau
freitag freund freunde freundin fruh fruhstuck funktion garten gedicht gehort geld geschichte geschenk geschrieben
gesprach gestellt grund gruppe haus heisst hotel hund idee information informationen jahren kaffee karte katze kind
kinder klasse kochen kosten kunde kunden lange langsam laufen leben lernen liste losung mann mail meinung mensch
menschen mittag mittwoch montag musik mutter nachricht nachrichten name notiz nummer plan platz post preis problem
probleme programm projekt projekte prufen punkt raum rechnung regel regeln reise rezept richtig sache sachen samstag
satz schicken schlecht schritt schritte schule schwester seite seiten sommer sonntag sprache spiel spielen stadt stand
stelle strasse stunde stunden suche suchen system tabelle team teil telefon termin termine test text thema tisch titel
treffen trinken ubersetze ubersetzen ubersetzung urlaub vater verbinden vergessen version vertrag vorschlag vorschlage
wasser weg weihnachten welt wichtig winter wochenende wohnung zahl zahlen zeigen ziel zimmer zug zusammen
zusammenfassen zusammenfassung januar februar marz april mai juni juli august september oktober november dezember
"""
_LIGHT_SHORT = """
ai api app blog bug cd css csv db faq gb html http https id img ios ip json kb linux mb pc pdf php png pm qa sms sql tv
ui uk url usa usb ux wifi windows xml zip mac git bash
"""

_EMPTY_CJK = """
什么 怎么 为什 什麼 怎麼 我们 你们 他们 这个 那个 这些 那些 一个 一下 可以 没有 有没 是不 不是 不要 现在 今天 明天
昨天 知道 觉得 应该 因为 所以 但是 如果 还是 还有 谢谢 你好 早上 晚上 上好 请问 告诉 帮我 给我 需要 时候 一些 东西
问题 多少 这样 那样 怎样 已经 非常 真的 一起 一点 的是 了吗 是什 么时 哪里 哪个 哪些 么样 能不 不能 我想 想要 好的
然后 我的 你的 的话 觉 時間 今日 明日 昨日 何時 自分 大丈 丈夫 感谢 問題 一番 本当 最近 全部 场景 天气 天気 笑话 翻译
翻訳 写一 一首 首诗 一句
"""
_EMPTY_KO = """
오늘 내일 어제 지금 그냥 정말 너무 조금 우리 저는 나는 제가 내가 이거 그거 저거 무엇 뭐야 어떻 떻게 어디 언제 누구
왜요 있어 없어 있나 있는 없는 하는 해줘 해주 주세 세요 입니 니다 합니 습니 했어 했나 해야 하고 그리 그런 이런 저런
고마 마워 감사 안녕 녕하 하세 뭐가 뭐를 무슨 어떤 알려 려줘 좋은 좋아 같아 때문 대해 대한 얼마 날씨 농담 번역
"""

EMPTY = (STOP_WORDS | frozenset((_EMPTY_EN + _EMPTY_DE + _EMPTY_ROMANCE).split())) - frozenset(("may",))
"""Words that every message may have, whatever it is about."""
LIGHT = frozenset((_LIGHT_EN + _LIGHT_DE + _LIGHT_SHORT).split()) - EMPTY
"""Words of which one alone says little of what a message is about."""
EMPTY_PAIRS = frozenset((_EMPTY_CJK + _EMPTY_KO).split())
"""The same as `EMPTY`, as pairs of characters."""
