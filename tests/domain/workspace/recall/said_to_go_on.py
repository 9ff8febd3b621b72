"""Messages that only say that work goes on, as people write them."""

from __future__ import annotations

_ON = """\
go on
Continue.
please continue
ok, go on
carry on!
keep going please
let's keep going
where were we?
so, where did we leave off?
What's next?
whats next
what should we do next?
what now?
ok what's the next step
let's get back to it
let's pick up where we left off
resume
proceed
status?
how far are we?
what's the current state
where do we stand?
Good morning! Let's continue.
I'm back, let's go on
next
what were we up to?
what's left to do?
shall we continue?
Can you continue from where you stopped?
keep at it
go ahead
ok next please
back again, what was the plan?
Right, on we go.
weiter
Mach weiter
mach bitte weiter
weiter geht's
Weiter so, mach weiter
Wo waren wir?
Wo waren wir stehengeblieben?
wo sind wir stehen geblieben
Was kommt als Nächstes?
was ist der nächste Schritt?
Wie geht's weiter?
Wie ist der Stand?
Stand der Dinge?
Wo stehen wir?
Lass uns weitermachen
fahr fort
Bitte fahre fort.
Guten Morgen, machen wir weiter?
und jetzt?
Was steht noch an?
Was ist noch zu tun?
So, weiter im Text.
Bin wieder da, weiter geht's
Nächster Schritt bitte
Okay, dann machen wir mal weiter.
继续
请继续
继续吧
好的,继续
接着来
接着说
我们说到哪儿了?
上次做到哪里了?
下一步是什么?
接下来做什么?
接下来呢?
然后呢
现在进展如何?
目前什么情况?
进度怎么样了
往下做
我回来了,继续吧
还剩什么没做?
早上好,我们继续。
现在该做什么?
往下走
刚才讲到哪里了
继续上次的工作
続けて
続けてください
続きをお願いします
続きをやろう
どこまでやったっけ?
前回の続きから
次は何?
次は何をすればいい?
次のステップは?
今の状況は?
進捗どう?
現状を教えて
再開しよう
じゃあ続けよう
戻りました。続けましょう。
次お願いします
どこまで進んだ?
おはよう、続きを始めよう
次に進んで
残りは何?
何の途中だったっけ?
계속
계속해
계속해 주세요
계속 진행해줘
이어서 하자
이어서 해줘
어디까지 했지?
우리 어디까지 했더라?
다음은 뭐야?
다음 단계는?
이제 뭐 하면 돼?
지금 상황 어때?
진행 상황 알려줘
현재 상태는?
다시 시작하자
좋아, 계속하자
돌아왔어, 계속하자
남은 일이 뭐야?
그 다음은?
안녕, 이어서 가자
마저 하자
Okay, let's keep moving
pick up from there please
so what remains to be done?
where did we get to last time?
Hi again! Where were we yesterday?
carry on with the work
let's get going again
give me a status update
quick recap please
What's the next item on the list?
bring me up to speed
what were we working on before the break?
Sorry for the delay, please proceed
any progress so far?
what's still open?
what else do we have to do?
how's the project coming along?
remind me where we left off
on to the next step
let's press on
can we resume?
back from lunch, let's continue
what are the remaining tasks?
What should be done next?
and what's after that?
move on to the next task please
which step comes next?
ok I'm back. so what now?
catch me up please
let's take it from where we stopped
Gut, weitermachen bitte
Was machen wir jetzt?
Guten Abend, wo waren wir denn?
Bin zurück, wie weit sind wir?
Und wie geht es jetzt weiter?
Was fehlt denn noch?
Bitte mach da weiter, wo wir aufgehört haben
Okay, nächster Punkt
Was müssen wir noch erledigen?
Gib mir mal den aktuellen Stand
Bring mich auf den neuesten Stand
Woran haben wir zuletzt gearbeitet?
Setzen wir die Arbeit fort
Dann mal weiter
Hallo, kannst du weiterarbeiten?
Was liegt noch an?
Was war der Plan?
Status bitte
Sag mir, wo wir stehen
Was sollen wir als Nächstes tun?
Danke, weiter so geht's
Was ist als Nächstes dran?
Und was kommt danach?
Zurück an die Arbeit!
Kurzer Zwischenstand?
Ich bin wieder hier, lass uns weitermachen
Moin, weiter geht es
was bleibt noch zu tun
Wie sieht der Stand aus?
An welchem Punkt waren wir?
请接着往下讲
咱们接着干吧
我们进行到哪一步了?
剩下的任务有哪些?
目前的进度如何?
早,继续昨天的工作
汇报一下进展
下一个任务是什么?
接下来怎么办
还有什么要做的?
我们上次停在哪里?
从上次的地方继续
那我们继续吧
下一项
现在到哪一步了
告诉我现在的状态
可以继续了
吃完饭了,接着做
我们刚才在做什么?
还需要做什么
往前推进吧
继续推进
谢谢,继续下去
之后做什么?
工作做到哪了?
回来了,进度怎么样?
还差哪些没完成?
好,下一个步骤
接着上次的继续
当前情况是什么
続きからお願い
では次に進みましょう
前回はどこで終わりましたか?
今どうなってる?
残っている作業は?
進捗状況を教えてください
次の作業は何ですか?
引き続きお願いします
作業を再開してください
続けてもらえますか?
さっきの続きをして
こんにちは、続きをやりましょう
今の段階は?
あと何が残ってる?
次にやることは?
次行こう
状況を確認したい
ステータスは?
これから何をすればいいですか?
じゃあ続行で
現在の進み具合は?
昨日の続きから始めてください
休憩終わり、再開します
どこからだっけ?
先に進めてください
何をやっていたんだっけ?
次のタスクお願い
今日は何をする予定だった?
そのまま進めて
この後は何をしますか?
이어서 진행하자
다음 단계로 넘어가자
지금 어디까지 됐어?
진행 상태가 어떻게 돼?
뭐 하던 중이었지?
계속 부탁해요
하던 거 계속하자
다음 작업은 뭐예요?
이제 뭘 해야 해?
남은 작업 알려줘
좋은 아침, 계속합시다
점심 먹고 왔어, 계속하자
어디서부터 시작하지?
현재 진행 상황을 정리해줘
다음 할 일은 뭐지?
다시 이어서 하자
그럼 계속 가자
멈춘 데서 다시 시작해줘
작업 재개하자
아직 남은 게 뭐야?
지난번에 어디까지 했지?
다음으로 뭘 하면 될까?
상황 보고해줘
계속 이어가 주세요
우리 뭐 하고 있었지?
자, 다음 거
현황이 어떤가요?
얼마나 진행됐어?
아까 하던 일 마저 하자
그다음엔 뭐 해?
Hello! What did we get done so far?
let us proceed with the next task
what step are we on?
Sure, keep on going
where do things stand?
can you tell me what is left?
I'm here again. next?
time to get back to work
what am I supposed to do next?
alright, shall we go on?
what's the latest?
Which tasks are still open?
resume please
ok what else?
let's continue from here
Kannst du bitte fortfahren?
Wo sind wir gerade?
Wie ist denn der aktuelle Stand?
Ok weiter
Was machen wir als Nächstes?
Was steht heute an?
Was soll ich jetzt machen?
Da bin ich wieder, wo waren wir?
So, und weiter?
Welche Aufgaben sind noch offen?
Dann lass uns mal weiterarbeiten
Wie weit bist du?
Fahren wir fort
Nächste Aufgabe!
Machen wir da weiter wo wir gestern waren
好,往下继续
进行得怎么样了?
咱们说到哪了
还有哪些任务?
请说下一步
现在轮到什么了?
我们下一步该怎么做?
继续刚才的话题
接着昨天的做吧
任务完成到什么程度了?
状态更新
现在是什么进度
再继续
开始下一步吧
嗨,我回来了,接下来呢?
続きお願い
じゃ、次
今どこまで進んでる?
前回の続きをお願いします
進めましょう
次は何をしますか
まだ残ってることは?
作業の状況は?
こんばんは、再開しよう
今何をすべき?
どこで止まってた?
続きは?
今どんな感じ?
次の段階に進もう
はい、続けてください
계속 해줄래?
다음 거 하자
지금까지 뭐 했지?
이제 다음은?
진행도 어때?
남은 단계가 뭐야?
이어가자
다음으로 진행해 주세요
어디까지 진행했나요?
그럼 이제 뭐 하지?
안녕하세요, 계속할까요?
현재 상황 정리해 줘
앞으로 할 일은?
계속 진행합시다
자 다시 시작
ok let's do the next one
so where exactly were we?
carry on from where we stopped yesterday
morning! what's on our list?
what's our status?
continue with this please
right, next task
let's keep moving forward
what's left for today?
Machen wir da weiter
was haben wir noch zu tun?
Wo waren wir gestern stehengeblieben?
Also, weiter im Programm
wie schaut's aus mit dem Stand?
Was ist noch offen?
Kannst du weitermachen bitte?
Nächstes Thema
Ok, und nun?
继续干活吧
接下来我们做哪个?
我们继续上次没做完的
现在做到第几步了?
下面做什么?
任务还剩多少?
现在的进展是?
可以往下进行了
刚才说到哪了?
次のステップに進みましょう
続きからいきましょう
どこまで終わった?
いまの進捗は?
作業の続きをやります
戻ったよ、続きお願い
まだ終わってない作業は?
次は何する?
前回どこまで話しましたっけ?
계속 이어서 해줘
다음 단계 알려줘
"""
GOES_ON = _ON.splitlines()
