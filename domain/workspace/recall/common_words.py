"""Common words: words that tell no subject of a message, and words that tell little.

Written by hand for this judgement; a word that stands in no list is rare, for a list of rare ones has no end. Words
are in lower case, without accents.
"""

from __future__ import annotations

from domain.memory.keywords import STOP_WORDS

_EMPTY_EN = """
able above across actual actually add added after afternoon afterwards against ago ahead aint alex alright although am
among answer anybody anyone anything anyway apparently appreciate aren around asap ask asked asking away awesome back
bad basically became because become before began begun believed below beside best better between beyond big bit bought
brb brings broke brought btw built buying bye call called came cannot case certain change changed check cheer cheers
chose chosen clearly close come comes coming completely congratulations consider considered considering constantly cool
couldn course current currently day days deal dear decided definitely despite didn different doesn doing done dont
doubt drove during easier easiest easily easy eaten else end enough especially essentially etc even evening eventually
ever every everybody everyone everything exactly except expected explain explained explaining extremely face fact
fallen far feel feeling feelings fell felt few fewer find fine first followed forgot forgotten found frequently full
fun funny furthermore fyi gave general generally get gets getting give given gives giving go goes going gone gonna good
goodbye got gotten great grew grown guess guy guys hadn haha half hand happen happened happening happens happy hard
harder hardly hasn haven hear heard held hello help helped helping helps hence hey hi high hm hmm hold holding home
honestly hope hopefully hour hours house however huh id idea ill im imagine immediately important included includes
increasingly indeed initially instead interesting isn itself ive joke keep keeping kept kid kids kind kinda knew know
knowing known knows large largely larger largest last late later leads learn learned learning least leave leaves
leaving led left less let lets letting life like likely line list listening literally little live lived lives living
lol long longer longest look looked looking looks losing lot lots love loves loving luckily made main mainly make makes
making managed many matter maybe mean means meant meet meeting mentioned merely mind minor minute minutes miss moment
money month months morning mostly move moving mr mrs much mustn myself name near nearly need needed needing needs never
nevertheless new next nice night nobody none nonetheless nope normal normally note nothing noticed now np number
obviously occasionally offered often oh ok okay old older oldest once one ones only onto open opened order originally
otherwise ought ours ourselves page paid part particularly partly passed people perhaps person personally pick piece
ping place plan planned planning play played playing please plenty point pointed pong possible possibly potentially
pretty previously primarily probably problem properly pushed put putting question quick quickly quite raised ran rarely
rather reached read reading ready real realised realize realized really reason received regarding remember remind rest
right room run running said same saw say says second seconds see seeing seem seems seen sending sense sent seriously
set setting several shall share shared sharing short shorter shouldn show showed showing shown side similarly simple
simpler simplest since sir sitting sleep sleeping slightly slower small smaller smallest sold somebody somehow someone
something sometimes somewhat somewhere soon sooner sorry sort sound sounded sounds speaking special specifically spent
spoke spoken standing start started starting stay stayed still stood stop stopped story strongly studied studying stuff
such suggest suggestion suppose supposed sure surely take taken takes taking talk talked talking talks taught tell
tells ten terribly thank thanks theirs themselves therefore thing things think thinks though thought three threw
through throughout thus thx time times tired today together told tomorrow tonight took top topic totally toward towards
tried tries true truly try trying turn turned two ty type typically um understand understood unfortunately unless
unlike unlikely until upon use used uses using usual usually version via view visited visiting wait waiting walked
walking want wanted wants wasn watch watched watching way ways wearing weather week weekend weeks weird welcome well
went weren whatever whenever whereas wherever whether whichever while whoever whole wholly wider wish within without
won wonder wondering wont word words work worked working works world worried worry would wouldn wow write writes
written wrong wrote yeah year years yep yes yesterday yet younger youngest yourself yourselves
"""
_EMPTY_DE = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim
beispiel bin bis bisschen bist bitte bloss brauche brauchen brauchst da dabei dafur dagegen daher damit danach daneben
danke dann daran darauf daraus darf darfst darin darum das dass davon davor dazu dein deine deinem deinen deiner dem
den denke denken denn der deren des deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort du
durch durfen eben echt ein eine einem einen einer eines einfach einige einmal er erklar erklaren erst erzahl es etwas
euch euer eure fast finde finden findest frage fragen fur gab ganz gar geben gegeben gegen gehen gehort gehoren gelten
gilt galt heissen heisst hiess geht gemacht genau gerade gern gerne gestern gib gibst gibt ging glaube glauben gleich
gross groß gut gute guten guter gutes hab habe haben habt hallo halt hast hat hatte hatten hattest helfen heute hier
hilf hilfe hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins irgendwie ist ja jahr jahre
jede jedem jeden jeder jedes jemand jetzt kann kannst kein keine keinem keinen keiner klar kommen kommt konnen konnte
konntest kurz lass lassen leider letzte letzten leute lieber liegen liegt lag lagen mach machen machst macht mag mal
man manche mehr mein meine meinem meinen meiner mich mir mit mochte mochten moment monat morgen muss mussen musst nach
nachste nachsten nacht naturlich nein nenn nenne neu neue neuen nicht nichts nie noch nun nur ob oben oder ohne okay
prima recht sag sagen sagt schnell schon schreib schreiben sehr sei sein seine seinem seinen seiner seit selbst sich
sie sind so sogar soll sollen sollte sollten somit sonst spater stehen steht stimmt super tag tage tagen tipp toll tun
tust uber uhr um und uns unser unsere unserem unseren unserer unter viel viele vielen vielleicht vom von vor wann war
waren warst warum was weil weiss weisst weiter welche welchem welchen welcher welches wenig wenn wer werde werden
wessen wetter wie wieder will willst wir wird wirklich wissen witz wo woche wochen woher wohin wollen wollte worden
wort worter wurde wurden wusste zeig zeigen zeit ziemlich zu zuerst zum zur zwar zwei zwischen
"""
_EMPTY_ROMANCE = """
al algo alors aussi avec avoir bien bonjour ca ce cela ces cette ceux che chez chi ciao come comme comment como con
cosa cual cuando dans de del della delle des di donc donde dove du e een el ella elle elles ellos en entre era es esa
ese eso est esta estan estas este esto estos et etait ete etre eux faire fait fue gli gracias grazie ha hace hay het
hola ik il ils io is je la las le les leur leurs lo loro los lui ma maar mais mas me merci mes met mi mis moi mon mucho
muy ne niet no non nos nosotros notre nous o of on ook op ou par para pas per pero peut piu plus por porque pour
pourquoi puede quand que quel quelle quelles quels qui quien quoi sa sans se ser ses si sin sobre son sono sont sous su
sur sus ta tambien te tes tiene todo toi ton tous tout tres tu tus un una une uno unos van voi voor vos votre vous wat
wij y ya yo zijn
"""
_LIGHT_EN = """
accept account across action active address advice afraid agree air allow almost alone along already answer answers
anybody apart app apply april area arm arrive article aside attention august autumn available average avoid aware bag
base basic basis beautiful bed begin beginning behave behind believe bill birthday black blue body book books born
bother bottom box boy break breakfast bring brother brought brown build building built business busy buy calendar car
care careful carry catch cause center central century chance chapter character chat child children choice choose city
class clear clearly coffee cold color colour company compare complete completely computer concept concern condition
consider contact contain content context continue control copy correct cost country couple cover create created
creating cut daily data date daughter dead deal death december decide decided decision deep deliver describe
description design detail details develop development difference difficult dinner direct direction directly discuss
document dog door double doubt draft draw dream drink drive drop early earth eat edit effect effort either email emails
english entire environment error especially essay event events evidence example examples excellent exist expect
expensive experience express extra eye eyes fail failed fall false family famous fast father favorite favourite
february figure file files fill final finally fire fit fix fixed floor folder follow following food foot force forget
forgot form format forward free fresh friday friend friends front future game games garden girl goal green grey ground
group grow hair head health heart heat heavy hello hobby holiday hot hotel human hundred husband image imagine improve
include including increase inside interest internet invite issue item items january job join july june key keyboard
land language law lead level library light limit link local loss lost low lunch machine mail manage manager march mark
market material math maximum meal measure media medical member members memory mention menu message messages method
middle million minimum model modern monday monthly morning mother mountain mouth movie moving music nation natural
nature necessary neither news normally notes notice november object obvious october offer office oil online opinion
option options original outside own paper paragraph parent parents park particular partner party pass past pay perfect
period phone photo phrase physical picture plane plant plate poem poetry political poor popular position power practice
prefer prepare present press price print private process product program programming progress project projects promise
proper protect prove provide public pull purpose push quality quarter question questions quote rain raise random range
rate reach recent recently recipe recommend recommendation record red reduce regular relate relationship release remain
remove repeat replace reply report request require research resource response restaurant result results return review
ride ring rise risk road rock role rule rules safe sale saturday save schedule school science score search season
section sell send sent sentence sentences separate september series serious serve service session shape shop shopping
shot shut sick sign significant similar single sister sit site size skill skills skin slow slowly smart social software
solution solve son song space speak specific speed spend sport spring stand standard star state station status step
steps stone store straight street strong structure student study style subject success successful suddenly sugar
summarise summarize summary summer sun sunday support surprise system table task tasks taste teach teacher technology
television term test tests text theory thinking third thousand throw thursday ticket tip tips title tool tools total
town track trade traffic train training translate translation travel tree trip trouble trust tuesday typical unit
update upper user users vacation value various video visit voice vote walk wall war warm wash water wear website
wednesday weight white wife wind window winter woman women wonderful wood worse worst worth write writing yellow young
"""
_LIGHT_DE = """
abend adresse anfang anfrage angebot antwort anzeige app april arbeit arbeiten arbeitet artikel aufgabe aufgaben august
auto bad bahn bericht besonders besprechung besser bestellung bild bilder blatt brief bruder buch bucher buro chef
datei dateien daten datum deutsch deutschland dezember dienstag ding dinge donnerstag eltern ende englisch entscheiden
entscheidung entschieden ergebnis erinnere erinnern erinnerung essen fahren fahrt familie farbe februar fehler fertig
fest firma foto frau freitag freund freunde freundin fruh fruhstuck funktion garten gedicht gehort geld geschenk
geschichte geschrieben gesprach gestellt grund gruppe haus heisst hotel hund idee information informationen jahren
januar juli juni kaffee karte katze kind kinder klasse kochen kosten kunde kunden lange langsam laufen leben lernen
liste losung mai mail mann marz meinung mensch menschen mittag mittwoch montag musik mutter nachricht nachrichten name
notiz november nummer oktober plan platz post preis problem probleme programm projekt projekte prufen punkt raum
rechnung regel regeln reise rezept richtig sache sachen samstag satz schicken schlecht schritt schritte schule
schwester seite seiten september sommer sonntag spiel spielen sprache stadt stand stelle strasse stunde stunden suche
suchen system tabelle teil telefon termin termine test text thema tisch titel treffen trinken ubersetze ubersetzen
ubersetzung urlaub vater verbinden vergessen version vertrag vorschlag vorschlage wasser weg weihnachten welt wichtig
winter wochenende wohnung zahl zahlen zeigen ziel zimmer zug zusammen zusammenfassen zusammenfassung
"""
_LIGHT_NOUNS_EN = """
ability absolute academic accident accountant achieve actor actress adult advantage adventure afford africa african
aircraft airport alarm alcohol alive allergy amazon america american android anger angry animal ankle anniversary
annoying anxiety anxious apartment apologise apology appearance apple appointment approach arabic architect argue
argument army artist asia asian asleep aspect assignment athlete atmosphere attack attend attitude aunt author autumn
award awful bacon bacteria bakery baking balance ball banana band bank bar barely baseball basket basketball bath
bathroom battery beach beans bear beard beat beauty bedroom beef beer behavior behaviour bell belong belt bench benefit
berlin bicycle bike biology bird biscuit bitter blanket blood board boat bones bonus boots boring boss bottle bowl
boyfriend brain branch brave bread breath breathe bride bridge british broken brush bucket bug burger burn butter
button cabin cable cake calorie camera camp camping cancel cancer candle candy captain career carpet carrot cartoon
cash castle cat celebrate celebration ceremony chain chair champion championship charge charity chatgpt cheap cheat
cheek cheese chef chemical chemistry chest chicken chief childhood china chinese chips chocolate chores christmas
church cinema circle clean climate climb clinic clock clothes cloud club coach coast coat code collect college comedy
comfort comfortable comment common community competition complain complaint complicated concert confident confused
congratulate connection conversation cook cookies cooking corner cough count countries courage course court cousin
crazy cream creative credit crew crime crowd cry cultural culture cup cupboard curious curly currency curtain customer
cute cycling damage dance dancing danger dangerous dark darkness database deadline debate debt decade decorate degree
delay delicious dentist department depressed desert deserve desk dessert detective device diary dictionary diet digital
dinosaur dirty disappointed discover discovery disease dish distance divorce dizzy doctor documentary dollar dragon
drama drawing dress driver drug drum dry duck dust dutch dynamic eager earn earring earthquake east economic economy
editor educate education egg elbow elect election electric electricity elegant elephant elevator embarrassed emergency
emotion emotional employee empty encourage enemy energy engine engineer enjoy enormous entertain entertainment entrance
envelope equal equipment escape essential europe european evil exam excel exchange excited exciting excuse exercise
exhausted exhibition exotic expert export expression eyebrow fabric facebook factory failure fairy faith fancy
fantastic fantasy farm farmer fashion fault fear feature feedback festival fever fiction field fight film finance
financial finger finish firm fish fishing fitness flag flat flavor flavour flight flood floor flour flower flowers flu
fly focus fog folk football forecast foreign forest fork fortune forum france freedom freeze french fridge friendly
friendship frog fruit frustrated fuel furniture garage garlic gas gate gather gender general generation generous genre
gentle german germany ghost giant gift girlfriend glad glass glasses global glove goat gold golf goodbye google gossip
government grade graduate graduation grammar grandfather grandma grandmother grandpa grass gray great greek grocery
guarantee guest guide guitar gym habit hair haircut hammer handle handsome hang happiness harbor hat hate headache
headphones healthy hearing heaven height helicopter hero hike hiking hill hip hire historical hit hobbies hockey hole
honest honey honor hopeless horror horse hospital host household housing html huge humor humour hungry hurry hurt ice
identify identity illegal illness impact impossible impress impressive income independent individual industrial
industry ingredient ingredients injury insect instagram insurance intelligent intention interview invest investment
invitation invoice iphone iron island italian italy jacket jam japan japanese java javascript jealous jeans jet jewelry
joy judge juice jump jungle junior jury justice kick kill king kiss kitchen kitten knee knife knock knowledge korean
lady lake lamp laptop latin laugh laundry lawn lawyer lazy leader leaf league leather lecture leg legal lemon lesson
letter license lift lightning limerick lion lip liquid literature london lonely lottery loud lovely lover loyal luck
lucky luggage lung luxury machines mad magazine magic mall mango map marathon marriage married mask massage match
mathematics maximum mayor meat medicine melody melt mental merry mess metal mice midnight military milk minister mirror
mistake mixed mobile mom monkey monster mood moon motivation motorcycle mouse mud mum murder muscle museum mushroom
musical musician mystery myth narrow nasty native nausea navy neck needle negative neighbor neighbour nephew nerve
nervous nest netflix network nightmare noise noodles north nose noun novel nuclear nurse nut ocean odd officer onion
opera operation opportunity opposite orange orchestra organ organise organize oven owner oxygen pack package pain paint
painter painting pair palace pale pan panic pants parade paris parking parrot passenger passion passport pasta path
patience patient pattern peace peaceful peach pen pencil penguin pepper perform performance perfume permission
personality pet photograph photographer photography physics piano picnic pie pig pill pillow pilot pink pipe pirate
pizza planet plastic player playground pleasant pleasure plot plumber pocket poet poetry poison police polish polite
politician politics pollution pool pork port portrait portuguese pot potato pound poverty powder pray prayer pregnancy
pregnant president pressure priest prince princess prison prize professor profit progress promotion pronounce property
protest proud psychology pub punish pupil puppy purple purse puzzle python queen queue quiet quiz rabbit race radio
rare react reaction reality rear recover referee refrigerator refund refuse regret reject relax relief religion
religious rely reminder reminders rent repair repeat reply republic reputation rescue resident resort respect rest
retire revenge rhythm rice rich riddle ridiculous river roast robot rocket romance romantic rome roof rope rose rough
routine rubbish rude runner rural rush russian sad sadness sail salad salary salt sand sandwich satisfied sauce sausage
savings scared scary scene scholarship science scientific scientist scissors screen sculpture sea seat secret secretary
security seed sensitive shade shadow shake shame shark sheep sheet shelf shelter shine shiny ship shirt shock shoes
shoot shore shoulder shout shower shy sibling silence silly silver sing singer singing sink skate ski skirt sky sleepy
slice slim slip smell smile smoke smooth snack snake sneakers snow soap soccer socks soft soil soldier solo soul soup
sour south spaghetti spain spanish spare speech spell spicy spider spirit spoon sports spot spotify spring square
squirrel stadium staff stage stairs stamp steak steal steam steel stomach storm strange stranger strawberry stream
stress stressed stretch stretches strict stuck studio stupid style subway succeed suffer suit suitcase sunglasses sunny
sunrise sunset supermarket supper surgeon surgery surround survive suspect sweater sweep sweet swim swimming sword
symptom symptoms talent tall tank tap target tax taxi tea team tear tease teen teenager teeth temperature temple tennis
tension tent terrible terrific terror theater theatre theme therapy thick thief thin thirsty throat thunder tidy tie
tiger tight tiny tire tissue toast toe toilet tokyo tomato tongue tooth touch tough tour tourism tourist towel tower
toy tradition traditional tragedy transport trash traveler treasure treat treatment trend trial trick trousers truck
truth tube turkish tutor twin twitter ugly umbrella uncle uniform union unique universe university upset urban useful
useless vaccine vacuum valley van vegetable vegetables vegetarian vehicle verb victim victory village violence violin
virus vitamin volcano volleyball volunteer vote wage waiter wallet warning waste wave weak wealth weapon wedding weigh
west wet whale wheel whisper wikipedia wild willing wine wing winner wire wisdom wise witch wolf wooden wool worker
workout worship wound wrap wrist writer yard yoga youth youtube zebra zone zoo
"""
_LIGHT_NOUNS_DE = """
ahnung akkusativ alte alten angst apfel apotheke arm arzt auge augen ausflug ausland bauch baum bein berg beruf bett
bewegung bier blume blumen boden brettspiel brettspiele brief brot brutto dativ decke dorf durst ei eier eis englische
erkaltung essen fahrplan fahrrad feier fenster ferien fernsehen feuer fieber film filme finger fisch fleck flecken
fleisch flug flughafen fluss franzosisch freundlich freundliche fuss gefuhl gemuse gesicht gesund gesundheit gewicht
glas gluck grammatik grippe grosse grossen haare hals hand hande handy haut heizung hemd herz himmel hitze hoch
hochzeit hoflich hohe hohen hose hunger insel italienisch jacke kaffee kaninchen kartoffel kase kasse kino kirche kleid
kleidung kleine kleinen klima knie koch koffer kopf kopfschmerzen korper krank krankenhaus kuche kuchen kuh kultur
kundigen kundigung kunst kurs kurze kurzen laden lampe land lang langen langweilig lehrer licht lied luft magen markt
meer miete milch mond mund museum nachbar nase nebel netto nudeln obst ofen ohr oma onkel opa ort park pause pferd
pflanze pilz polizei reis rotwein rucken salat salz schiff schlaf schlafen schmerz schmerzen schnee schokolade schon
schone schonen schrank schuhe schuler see sohn sonne spanisch sport stern steuer stuhl sturm suppe tante tanz tasse tee
teller tier tiere tochter tomate traum tur turm unterschied vogel vorstellungsgesprach wald wand wein wetter wind wolke
wurst zahn zahne zeitung zucker
"""
_LIGHT_SHORT = """
ai api app bash blog bug cd css csv db faq gb git html http https id img ios ip json kb linux mac mb pc pdf php pm png
qa sms sql tv ui uk url usa usb ux wifi windows xml zip
"""

_EMPTY_CJK = """
什么 怎么 为什 什麼 怎麼 我们 你们 他们 这个 那个 这些 那些 一个 一下 可以 没有 有没 是不 不是 不要 现在 今天 明天
昨天 知道 觉得 应该 因为 所以 但是 如果 还是 还有 谢谢 你好 早上 晚上 上好 请问 告诉 帮我 给我 需要 时候 一些 东西
问题 多少 这样 那样 怎样 已经 非常 真的 一起 一点 的是 了吗 是什 么时 哪里 哪个 哪些 么样 能不 不能 我想 想要 好的
然后 我的 你的 的话 觉 時間 今日 明日 昨日 何時 自分 大丈 丈夫 感谢 問題 一番 本当 最近 全部 场景 天气 天気 笑话
写一 一首 首诗 一句
"""
_EMPTY_KO = """
오늘 내일 어제 지금 그냥 정말 너무 조금 우리 저는 나는 제가 내가 이거 그거 저거 무엇 뭐야 어떻 떻게 어디 언제 누구
왜요 있어 없어 있나 있는 없는 하는 해줘 해주 주세 세요 입니 니다 합니 습니 했어 했나 해야 하고 그리 그런 이런 저런
고마 마워 감사 안녕 녕하 하세 뭐가 뭐를 무슨 어떤 알려 려줘 좋은 좋아 같아 때문 대해 대한 얼마 날씨 농담
누가 누굴 어때 될까 되나 되는 해도 해요 했지 했던 하지 하면 해서 한다 된다 되어 됐어 됐나 됐지 나요 까요 어요 아요 을까
인가 인지 이야 이에 예요 에요 거야 건가 그게 이게 저게 그걸 이걸 여기 거기 저기 이번 지난 아직 벌써 이미 다시 항상
가장 제일 많이 모두 전부 혹시 아마 근데 그래 그럼 그러 그렇 이렇 이제 먼저 나중 요즘 최근 있었 있지 있을 있니 없지
시까 시에 시부 없나 없을 같은 부터 까지 에서 에게 으로
"""

_GRAMMAR = """
的了些是吗呢吧啊呀我你您他她它们這那这哪谁誰什么麼怎几幾多少在有没沒和与跟就也都不很要会會能可以用放把被让讓给給
从從到对對为為上下里裡中个個一二三两写做说說看去来來过過得着最更还還再又才只将应該该想如何请請问問时時后前吃喝
好满等年月日号點点
"""
_LIGHT_CJK = """
天气 晚饭 早饭 午饭 吃饭 电影 音乐 朋友 家人 孩子 老师 学生 学校 学习 英语 英文 中文 语言 城市 国家 世界 地球 月亮
太阳 星星 动物 植物 身体 健康 医院 医生 感冒 发烧 睡觉 失眠 运动 跑步 减肥 旅行 旅游 旅途 酒店 机票 火车 飞机 汽车
工作 公司 老板 同事 面试 简历 工资 会议 电脑 手机 电话 软件 网络 网站 邮件 文章 作文 诗歌 故事 小说 历史 文化 科学
技术 数学 物理 化学 经济 政治 法律 社会 新闻 生活 生日 礼物 结婚 婚礼 爱情 心情 情绪 压力 考试 水平 方法 办法 建议
意见 原因 结果 情况 关系 意思 内容 作用 影响 标题 名字 颜色 数字 图片 照片 视频 游戏 衣服 鞋子 房子 房间 家具 厨房
水果 蔬菜 面条 米饭 鸡蛋 牛奶 咖啡 茶叶 河流 高山 大海 春天 夏天 秋天 冬天 周末 假期 节日 分钟 小时 公里 价格 商店
超市 饭店 餐厅 菜谱 味道 推荐 介绍 解释 总结 比较 区别 原理 提高 学会 开始 料理 映画 音楽 友達 家族 子供 先生 勉強
英語 日本 言語 動物 病院 医者 風邪 運動 電車 飛行 仕事 会社 上司 同僚 面接 履歴 会議 電話 写真 動画 歴史 技術 経済
誕生 結婚 恋愛 気分 試験 理由 結果 意味 名前 部屋 台所 果物 野菜 牛乳 値段 紹介 説明 比較 高さ 初心 季節 週末 休日
分間 時間 挨拶 感謝 返事 質問 回答 翻訳 単語 練習 予定 自己 最高 最近 大切 必要 言葉 친구 가족 아이 선물 결혼 생일
음식 요리 저녁 아침 점심 영화 음악 노래 기타 여행 호텔 기차 회사 직장 면접 준비 학교 학생 공부 영어 한국 서울 언어
단어 문장 건강 병원 감기 운동 다이 컴퓨 퓨터 전화 사람 생각 마음 기분 시간 주말 휴가 방법 이유 결과 의미 내용 이름
사랑 고양 양이 강아 아지 가구 커피 과일 야채 가격 추천 설명 소개 비교 번역 세계 나라 도시 수도 역사 문화 과학 기술
경제 정치 사회 생활 책상 처음 시작 이야 야기
"""
EMPTY = (STOP_WORDS | frozenset((_EMPTY_EN + _EMPTY_DE + _EMPTY_ROMANCE).split())) - frozenset(("may",))
"""Words that every message may have, whatever it is about."""
SLIGHT = frozenset(_LIGHT_SHORT.split()) - EMPTY
"""Abbreviations that say as little, and are not left out."""
LIGHT = frozenset((_LIGHT_EN + _LIGHT_DE + _LIGHT_NOUNS_EN + _LIGHT_NOUNS_DE).split()) - EMPTY
"""Words of which one alone says little of what a message is about."""
GRAMMAR = frozenset(_GRAMMAR.replace("\n", "")) | {""}
"""Characters that make sentences of words, in scripts without blanks; and a run's end."""
EMPTY_PAIRS = frozenset((_EMPTY_CJK + _EMPTY_KO).split())
"""The same as `EMPTY`, as pairs of characters."""
LIGHT_PAIRS = frozenset(_LIGHT_CJK.split())
"""The same as `LIGHT`, as pairs of characters."""
