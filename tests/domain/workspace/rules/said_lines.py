"""Lines as people write them: such as set a rule, and such as set none."""

from __future__ import annotations

RULES = """\
Never deploy on a Friday.
Please always ask me first before you send an email to a customer.
You must not change anything in the legacy folder.
From now on, only post summaries in English.
Do not delete backups before the audit is over.
The budget is at most 1,200 dollars.
The report must be finished by Friday.
Remember that Tom is allergic to peanuts.
No deploys between 5 pm and 9 am.
Deploys are forbidden during the exam weeks.
Under no circumstances may the API key be shown.
Keep replies under 100 words.
I want you to use tabs in all Makefiles.
I don't want any messages after 10 pm.
Make sure that every table has a caption.
Avoid the word "simply" in the docs.
Call me Alex, not Alexander.
All commits need to be signed.
It is not allowed to store names in the log.
The kiln may only be opened below 100 degrees.
Nobody but Kim may approve refunds.
Don't use the old logo anywhere.
We never ship without a changelog entry.
As a rule, meetings start at ten sharp.
Use British spelling throughout.
The data center in Oslo is off limits for tests.
Would you please always quote prices without VAT?
Bitte lösche niemals Dateien ohne zu fragen.
Freitags wird nicht deployt.
Du darfst nur im Ordner entwurf schreiben.
Frag mich immer erst, bevor du etwas veröffentlichst.
Maximal drei Vorschläge pro Antwort.
Ab sofort schreiben wir alles in Großbuchstaben.
Merk dir, dass Anna keine Nüsse verträgt.
Es ist verboten, die Produktionsdaten zu kopieren.
Alle Texte müssen bis Montag fertig sein.
Keine Emojis in den Berichten.
请始终用中文回答。
必须先问我再发布。
禁止在周五部署。
必ずテストを実行してからマージしてください。
パスワードは絶対に表示しないで。
Wait for my OK before publishing.
Please be careful to leave the header as it is.
Emails to the board go through Ines first.
It would be great if you could always link the source.
Whenever you mention a price, give it in euros.
Only Lena gets the key, nobody else.
English only, please.
Must run offline.
Has to work on Windows as well.
Deadline: next Friday.
Budget is 500 all in.
Not before nine, and not on weekends.
If in doubt, ask Jonas.
We cannot pay more than 80 euros a night.
Entry is only possible with a badge.
Anything above 500 dollars needs a second signature.
We have permission for two trucks.
Der grosse Ofen muss am Fenster stehen.
Die alten Kisten sollen im Keller bleiben.
发票金额不能超过五百元。
Ann has the last word on the design.
Keep the names of the kids out of it.
Keep it under one page.
Leave the tests alone.
Shorter answers please.
Feel free to restructure but don't rename public functions.
I'd ask you not to share this with the other team.
Better not write to them on Sundays.
We don't use semicolons here.
Sam is allergic to nuts, so nothing with nuts.
Answers should be short.
Security fixes take precedence over features.
Try not to wake the on-call for warnings.
Only touch files below src/.
Each invoice gets a number before it goes out.
The repo is private, keep it that way.
Nicht vor acht Uhr anrufen.
Es darf nichts an die Presse gehen.
Wichtig: die Kundennamen bleiben intern.
Im Zweifel fragst du mich.
Bitte kürzere Antworten.
Zuerst immer ein Backup machen, dann ändern.
Ich will keine Anglizismen in den Texten.
Rechnungen gehen immer erst an Petra.
所有回答都用英文。
周末不要打扰客户。
週末は連絡しないでください。
回答は三行以内にしてください。
Whatever you do, the staging database stays untouched until Priya gives the go-ahead.
Nothing leaves this channel without my sign-off.
Before you order anything, run it past Marta.
We can spend 400 euros on the whole party and not a cent more.
I'd appreciate it if answers were kept under five lines.
Glaze firings above 1240 degrees are off the table, the shelves would crack.
Everything has to be in by Thursday noon, the printer won't take it later.
Just so you know going forward: names of patients don't belong in any file.
Stick with metric units in every table you make for us.
Could you please not touch the old pages unless somebody asks for it?
Two people have to look at each change prior to merging.
Our guests are vegan, so plan every menu without animal products.
It's essential that invoices carry the order number.
No phone calls after 8 pm, the baby is asleep by then.
Let's agree that main is only updated through pull requests.
Remember, Leo must not find out about the trip.
Bitte antworte mir grundsätzlich auf Deutsch und duze mich.
Ohne Rücksprache mit Herrn Vogt wird nichts bestellt.
Vor 9 Uhr sollte niemand angeschrieben werden.
Die Probe darf höchstens zwei Stunden dauern.
Achte bitte darauf, dass die alten Rechnungen unverändert bleiben.
Bis Mittwoch müssen alle Zusagen da sein.
未经我同意，不要删除任何文件。
本番環境には金曜日にデプロイしないでください。
The garden budget is capped: nothing over 75 euros without asking Hana.
Whoever edits the wiki signs with their initials.
If a customer writes in Polish, the answer goes out in Polish too.
I only want to hear about this project on weekdays.
Drafts go to Tove before they go anywhere else.
We're on Python 3.9 in production, so nothing that needs a newer one.
Please treat everything Mona tells you as confidential.
Photos of the children are not to be posted, not even in the family group.
You're free to refactor, as long as the public API doesn't change.
One more thing: times are always in UTC in this channel.
The venue closes at eleven, hence the band has to stop by 10:45.
Grandma can't climb stairs, so pick places with a lift.
It'd be better if the weekly report didn't mention salaries.
Hold the release until QA has signed off.
Any purchase above fifty bucks needs two signatures.
Two spaces, never tabs.
Under 300 words, or the editor will bin it.
Stay away from the payments module for now.
Für Reisen über 500 Euro brauche ich vorher deine Freigabe von Kurt.
Der Ordner Archiv ist tabu.
Schreib die Protokolle bitte durchgehend im Präsens.
Im Lager wird nicht geraucht und nicht telefoniert.
发布之前一定要先跑测试。
顧客の名前は絶対に書かないこと。
The wedding colours are sage and cream; please plan around that.
Orders over 1,000 go to Felix for approval.
Bugs found by customers come before anything else.
Don't bother the night shift with questions that can wait.
I'm off gluten, so recipes have to work without wheat.
Releases happen on Tuesdays only.
Vendor names shall not appear in public posts.
We keep personal data out of tickets.
Each slide gets one idea, max three bullets.
Please run the linter before every commit.
It's company policy to archive mails after 90 days.
The model train stays off while the kids sleep.
Talk to legal before signing anything.
Remember that the boat holds six people at most.
You can rename files but must keep their ids.
Write dates as 2026-05-04, not 5/4/26.
All quotes must name their source.
Bitte keine Termine am Freitagnachmittag.
Die API-Version darf nicht geändert werden.
Alle Angebote gehen vor dem Versand über meinen Tisch.
Sprich mich bitte nicht mit Vornamen an.
报告必须在周三之前完成。
コミットメッセージは英語だけで書いてください。
Passwords live in the vault and nowhere else.
Give the intern read access, nothing more.
I would ask everyone to mute their microphones during the talk.
Support answers within four hours on working days.
Nina is the only one who talks to the press.
The cat gets half a can in the morning, no treats.
Stick to the approved vendor list.
Two reviewers per merge request.
Test data stays on the test server.
Please don't schedule me before ten.
Expenses over 200 need a receipt and a reason.
Leave at least a metre between the beds.
Translations are done by people, not by machines.
It has to fit in a carry-on.
The door code is never to be written down.
Please check with Omar whenever a contract is involved.
We answer in the language of the question.
From Monday on, the old form is no longer accepted.
Invoices without an order number go back to the sender.
Bitte alle Preise netto angeben.
Hier wird nur mit Karte bezahlt.
每次修改前先备份。
会議は一時間以内に終わらせてください。
Please never share screenshots of the dashboard outside the team.
I don't want any surprises in production, so don't deploy after 4 pm.
You have to ask Carla before you change the seating plan.
Make sure the letters go out no later than Monday.
All donations must be acknowledged within two days.
Only adults may handle the stove.
Whatever happens, do not restart the main router.
The slides should be in Dutch, the speaker notes in English.
Our limit is 20 guests.
No meat in the Friday menu, please.
From today on I want every answer to end with a source.
It's not okay to mention the layoffs.
Use the blue template for external mail.
Let nobody book flights without checking with me.
Always round prices up to full euros.
The appendix can't be longer than five pages.
Remember: the tenant in flat 3 must not be called at work.
Kindly refrain from using abbreviations.
Gib niemals die Adresse von Frau Kern heraus.
Alle Sitzungen müssen vor 17 Uhr enden.
Wir duzen uns hier, also bitte kein Sie.
Vor dem Löschen immer nachfragen.
请不要在群里提到价格。
毎回、最後に要約をつけてください。
Please don't send anything to the printer after six.
You may only use the shared account for reading.
The password for the wifi must never be posted here.
Ask Ruth before you spend more than 30 euros.
Make sure no email goes out without a subject.
All photos have to be cropped square.
From now on call the product Lumen, not Lux.
Dad must not eat grapefruit because of his pills.
I'd rather you didn't post on weekends.
It's forbidden to feed the ducks bread.
Only the treasurer can approve payments.
Never use my full name in public.
Reports should not be longer than two pages.
Keep the tone formal in everything that goes to the ministry.
No changes to the schema this week.
Avoid flights with more than one stop.
The seminar must end by four at the latest.
Bitte sprich Frau Amari immer mit Titel an.
Keine Rechnung darf ohne Nummer raus.
Der Hund darf auf keinen Fall Schokolade bekommen.
Bis Freitag 12 Uhr brauche ich die Zahlen.
必须用中文写提交说明。
夜の十時以降は通知しないでください。
Please never quote a price before Dana has confirmed it.
We mustn't post the address of the shelter anywhere.
Always put the allergens at the top of each recipe.
I need the draft by Wednesday evening.
Only reply in the thread, not in the main channel.
No cold calls, we agreed on that with the union.
Don't schedule anything on the 24th.
The total has to stay below 2,000 francs.
Before publishing, get a second pair of eyes on it.
Nobody except the nurse may change the dosage.
Contracts are to be kept for ten years.
For safety reasons the ladder must be held by somebody.
Please be sure to anonymise the interviews.
I'd prefer that you check the facts before you answer.
Our brand name is always written in lower case.
Photos without a release form are not allowed on the site.
Keep the window closed while the heating is on.
Do ask before you borrow the van.
Bitte nichts ohne Quelle behaupten.
Der Entwurf darf das Haus nicht verlassen.
Maximal zwei Mails pro Woche an die Eltern.
Nenne niemals den Namen des Kunden.
不得对外公开合同内容。
写真は必ず許可を取ってから使ってください。
""".splitlines()

NO_RULES = """\
I never thought it would be this hard.
I always loved the sea.
Never mind, found it.
Don't worry about it!
You must be so proud of her.
It must have been a great day.
I only saw it yesterday.
We always go there in summer, it's our thing.
Never give up on your dreams!
Don't be so hard on yourself.
I'll be there by Friday.
Can you deploy this?
We can't be more than two minutes away!
We got tickets for Thursday.
Das alte Auto muss ich wohl bald verkaufen.
周五必须交什么?
谁不能吃花生?
之前必须先做哪一步?
What must I do before the release?
I can't wait to see you.
Keep up the good work!
Remember when we went to Paris?
I remember that day so well.
She never answers my mails.
I don't know what happened.
He said he only wanted to help.
Only two more days!
I have to go now, see you.
We should totally hang out before you leave.
Always a pleasure.
That's at most a coincidence, right?
I had to wait until Friday for the part.
Make sure to have fun!
Let me know how it goes.
I'm not allowed to eat sugar at the moment, sad.
No way, that's awesome!
No problem, happy to help.
There's no rush.
Only time will tell.
I must admit I was nervous.
You should definitely try it.
Ich habe nie gedacht, dass das klappt.
Ich war immer gern am Meer.
Das muss toll gewesen sein.
Keine Ahnung, was da los ist.
Kein Problem!
Muss ich noch etwas tun?
Er darf jetzt endlich nach Hause.
Nur noch zwei Tage!
我从来没去过那里。
私はいつも海が好きでした。
There are no tests for that module yet.
The server never answered, so I restarted it.
The build failed again, no idea why.
I ran the tests and they all passed except two.
We shipped it on Friday without any trouble.
Did anyone check the logs before the restart?
The client asked for a demo by Thursday, so I sent one.
Nobody came to the meeting.
The printer is out of paper.
My flight leaves at nine, I should be home by noon.
Could you check the open pull requests?
Please send me the last invoice.
What's the weather in Oslo?
Thanks, that works now.
Summarise the thread for me.
Show me all files in the folder.
List every open ticket.
She told me the office is closed on Monday.
It took three hours to find the bug.
Add a line to the shopping list.
I changed the password and forgot to tell you.
Write a poem about autumn.
Convert this table to CSV.
Kannst du mir die Datei schicken?
Der Server ist seit gestern langsam.
Ich habe alle Rechnungen bezahlt.
Es gibt nichts Neues.
Wir haben gestern nur zwei Stunden gebraucht.
今天天气很好。
ありがとうございます。
All tests are green.
The report must have been lost.
The old API always returned a list.
Our team won every game this season.
""".splitlines()
