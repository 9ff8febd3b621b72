"""Messages that share words with "go on" and say something else, as people write them."""

from __future__ import annotations

_OTHERWISE = """\
continue the story about the dragon
what's next on TV
下一步棋怎么走
next week works for me
what's next weekend looking like?
How far is it to Berlin?
where were you last night?
go on a diet
the next train leaves at six
carry on luggage size
what are the remaining seats?
please continue the poem
here is my resume
what's the current weather?
status of my parcel?
back to school shopping
what's the plan for dinner?
the next one is great
how's the new job going?
where did you get that?
what is left of the cake?
my progress in French
can you go ahead and book it?
pick up milk on the way
keep going to the gym
what now for England?
move on from your ex
weiter oben im Text steht ein Fehler
Wie weit ist es nach Köln?
nächste Woche passt
Wo waren wir im Urlaub?
Was steht in der Zeitung?
Der nächste Zug fährt um acht
Was machen wir am Wochenende?
Was kommt heute im Fernsehen?
Stand der Technik
Wie ist der Stand im Spiel?
Mach weiter so mit dem Rauchen aufzuhören
das ist die Fortsetzung des Romans
und jetzt zum Wetter
继续教育
继续下雨
现在天气情况如何
接下来几天天气怎么样
下一班车几点
还剩多少钱
目前的股市情况
往下看有一只猫
我们上次去哪里玩
继续写小说
続きの小説を読みたい
次の電車は何時?
残りのケーキは?
天気の状況は?
次の日曜日は暇?
また明日
前回の試合はどうだった?
途中で雨が降った
다음 주 날씨
다음에 보자
계속 비가 와
남은 피자 먹어도 돼?
교통 상황 어때?
다음 버스 언제 와?
이어폰 추천해줘
지금 뭐 먹을까?
다음 영화 추천해줘
good morning
I'm back
thanks for the help
see you next time
hi there
what's up?
what are you doing?
how are you today?
what's going on?
how far did you run today?
What should we do tonight?
what's on the list of presents?
where do you stand on pineapple pizza?
is the status page down?
the project is going well
I have to get back to my mother
what's new?
any news?
pick me up at six
recap of the match please
let's go
let us eat now
tell me
show me the way
what did he do then?
we left at noon
how is the weather doing?
what's the point?
next door
what else did she say?
what should I do with my hair?
how was work?
work is hard today
ok now I get it
keep it short
good work!
what's the plan for today?
I did it!
just a test
great job everyone
what do we do with the dog?
what do you need?
Wie weit ist es noch?
Wie geht es dir heute?
Was gibt es heute zu essen?
Mach das Licht an
guten Morgen zusammen
Was ist heute los?
wie ist das Wetter
Bin gleich da
Was machst du heute?
Was soll ich anziehen?
Ich bin wieder zu Hause
Was steht auf der Speisekarte?
mach mal Pause
Was fehlt dem Hund?
lass uns essen gehen
und dann kam er
alles klar, danke
Was ist das denn?
Wo bist du?
Die Arbeit ist getan
你好
我回来了
我们走吧
现在几点
今天做什么菜
你在做什么?
怎么样
好的谢谢
你来了吗
还有多少钱
什么情况都可能发生吧小明
我要走了
到哪里吃饭
还要什么水果
这是什么
说什么呢小李
上次的电影好看吗
おはようございます
戻りました
お願いします
ありがとう
今何してる?
何をしてるの?
どこにいる?
どんな映画が好き?
何を食べたい?
これから出かける
今日はどう?
元気ですか
仕事に行ってきます
状況が分からない猫
次郎は元気?
どんな感じの服?
終わりました
안녕하세요
돌아왔어
뭐 해?
지금 뭐 해?
어디야?
이제 자자
다시 한번 말해줘
점심 먹고 올게
좋아요
오늘 뭐 먹지
알려줘
어떻게 지내?
나 왔어
다음 주에 보자
상황극 하자
일이 많아
이게 뭐야?
재개발 소식
what did we do in May?
what did we do in March
"""
SAYS_MORE = _OTHERWISE.splitlines()
