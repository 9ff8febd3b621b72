"""Lines that have the words of rules and set none."""

from __future__ import annotations

_NO_RULES = """\
I never understood that film.
Don't worry, it will be fine.
You must be tired after that trip.
He always forgets his keys.
Never mind, I found it.
I don't think we should go.
They only had decaf left.
You should have seen his face!
We had to wait two hours at the desk.
Please tell me how the trip was.
Nobody came to the party.
I can't believe it's Friday already.
Do not disturb was on the door, funny.
It must have rained last night.
The rules of chess are simple.
No way, really?
I have to go now.
There is no milk left in the fridge.
Mum always says that.
Make sure you get some rest!
You never know.
Don't you love autumn?
The bus has to stop there, I guess.
Das darf doch nicht wahr sein!
Ich habe nie Zeit.
Mach dir keine Sorgen.
Er muss wohl krank sein.
Wir waren immer am Meer.
Keine Ahnung.
Das kann ich mir nicht vorstellen.
Du musst den Film sehen!
Niemand hat angerufen.
Ich darf heute früher gehen.
Bloß nicht!
Kein Problem.
Gestern durften wir nicht rein.
Nie wieder Kartoffelsalat, haha.
Man muss sich das mal vorstellen.
我从来没去过上海。
别担心,没事的。
他一定很累了。
我不想吃饭。
必须说,这部电影真好。
不要太客气。
我只有一只猫。
昨天不能上网。
你千万别告诉我结局哈哈。
总是下雨,真烦。
絶対に雨が降ると思う。
気にしないでください。
彼はいつも遅刻する。
行かなければよかった。
必ずしもそうではない。
昨日は入れなかった。
もう食べられない。
無理しないでね。
一度も見たことがない。
そんなはずはない。
We don't talk much these days.
Everyone loves pizza.
The sun stays up late here.
I always forget her name.
We never got there.
I can't find my keys.
You can't be serious.
Everything goes wrong today.
My brother never calls.
We only had two days in Rome.
We don't have a garden.
Nothing beats a hot bath.
He must be joking.
For some reason I can't sleep.
Everybody was late.
I should really sleep more.
Check this out!
You never call me anymore.
That song is all I need.
Ich muss morgen früh aufstehen.
Wir waren nie in Rom.
Das Wetter bleibt schön.
Alle Kinder wollen spielen.
Nach dem Essen gehen wir spazieren.
Ich habe keine Lust.
Keine Sorge, das klappt.
Nie wieder Montag.
Nur noch zwei Tage bis zum Urlaub.
Endlich Wochenende, keine Arbeit.
Die Frage bleibt offen.
Ohne Kaffee geht bei mir nichts.
Wir haben alle gelacht.
Alles Gute zum Geburtstag.
Alle waren begeistert.
Hoffentlich bleibt es trocken.
Mit dem Zug dauert es drei Stunden.
Ich kann das nicht essen.
Vor dem Haus steht ein Baum.
Immer diese Werbung.
Mein Hund will immer spielen.
Nach der Schule war ich schwimmen.
Er hat nicht angerufen.
Das ist nicht schlimm.
Wir essen heute Abend Pizza.
Kein Wunder bei dem Regen.
Alle Jahre wieder.
Im Sommer schwimmen wir im See.
Da kann man nichts machen.
Ich freue mich auf alle.
我每天都喝咖啡。
今天天气真好。
他必须回家了。
我先走了。
别难过。
这本书太好看了。
吃饭之前我要洗手吗?
我们昨天都很累。
不能再好了。
每次见到她都很开心。
我最好的朋友来了。
他只说了一句话。
少了一个人。
保持联系!
如果下雨就算了。
所有人都笑了。
今日は疲れた。
彼女は来ない。
時間が足りない。
雨は降らない。
駅まで歩いた。
映画は最高だった。
昨日は寝てない。
お金がない。
このケーキは甘くない。
電車は十時まで来ない。
明日は学校で会おう。
全然わからない。
夏は海で泳いだ。
猫は外で寝ている。
必ず勝つと思う。
We don't mind at all.
All children sleep now.
The memories stay with me.
Guests arrived late.
I can't open this jar.
We went there first.
My phone is off.
You don't say!
Everything tastes better outdoors.
Wir geben heute eine Party.
Nach dem Regen kommt die Sonne.
Ich bleibe im Bett.
Alle Freunde kommen am Samstag.
Im Kino lief nur Mist.
Kein Mensch war da.
Bei uns regnet es immer.
Das Essen bleibt warm.
Mit Freunden grillen.
Die Kinder schlafen schon.
Nie hätte ich das gedacht.
Wir sprechen morgen.
Ohne dich ist es langweilig.
Mir gefällt nur das Blau.
Erst war es kalt, dann warm.
晚上我们去吃火锅。
小王不在家。
我昨天没睡好。
最好看的是最后一集。
要下雨了吧?
他说以后再来。
所有的花都开了。
前面有三个人。
今夜は家で食べる。
猫は窓から出た。
弟は本を読まない。
前に会ったことがある。
週末は海まで行った。
夜は星がきれいだ。
楽しいことばかり。
雨の時は家にいる。
"""
NO_TERSE_RULES = _NO_RULES.splitlines()
