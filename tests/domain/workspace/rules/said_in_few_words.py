"""Rules that people set in few words."""

from __future__ import annotations

_RULES = """\
Please don't push to main without a review.
From now on, answer me in French.
Keep my phone number out of anything public.
No emojis in release notes, ever.
Whatever you do, do not delete the old backups.
We only ship on Tuesdays.
You have to ask Rosa before you change the prices.
Stick to metric units.
Everything we publish needs two pairs of eyes.
The budget is 900 and not a cent more.
Let's agree that nobody edits the config by hand.
Never ever mention the merger.
Don't use my first name in letters to clients.
I want every table to have a caption.
Make sure the tests run before each commit.
It's important that the door code stays secret.
Under no circumstances should the pump run dry.
Call customers only between ten and noon.
If in doubt, leave it out.
Max three slides per topic.
Hands off the staging database.
Nothing leaves the building without a signature.
Bitte nie ohne Rücksprache bestellen.
Ab sofort duzen wir alle Kunden.
Vor 8 Uhr wird niemand angerufen.
Keine Fotos von den Kindern ins Netz stellen.
Achte darauf, dass alle Preise brutto angegeben sind.
Rechnungen müssen immer von zwei Leuten geprüft werden.
Lass die Finger von der Produktionsdatenbank.
Wir verwenden ausschließlich Ökostrom.
Mehr als 500 Euro dürfen wir nicht ausgeben.
Der Schlüssel bleibt im Haus.
Schreib Berichte grundsätzlich auf Deutsch.
Auf keinen Fall die alte Adresse benutzen.
Montags bitte keine Termine.
Denk dran: erst fragen, dann löschen.
Jede Änderung muss ins Protokoll.
请不要把客户名单发给任何人。
以后都用简体中文回复我。
周末禁止发布新版本。
所有合同必须先给法务看。
预算最多两万,不能超。
千万别动老的备份。
每次提交前一定要跑测试。
只能用公司的邮箱联系供应商。
不准在群里讨论工资。
没有小刘同意不要改价格。
本番環境には絶対に触らないでください。
今後は敬語で返事をしてください。
請求書は必ず二人で確認すること。
金曜日のリリースは禁止です。
予算は十万円以内に収めてください。
お客様の名前は外に出さないように。
変更する前に必ず田中さんに聞いて。
夜九時以降は電話しないこと。
ファイル名は英語だけにして。
古いデータを消してはいけません。
The logo stays blue.
Deadline is the 5th, no exceptions.
Ask before you buy.
No calls after 8pm.
We don't do refunds on sale items.
Everyone signs in at the desk.
All photos need a licence.
Leave the red cable alone.
Two people have to be in the room when the kiln is hot.
For legal reasons we can't store birth dates.
Use the blue form, not the red one.
Don't ever quote prices over the phone.
Run it by Priya first.
You may not use my photo.
That folder is off limits.
Die Farbe bleibt blau.
Alles über 200 Euro erst mit Lena absprechen.
Nach 22 Uhr keine Musik.
Das rote Kabel bitte nicht anfassen.
Kundendaten bleiben in der EU.
Wir siezen alle Kunden.
Vor dem Löschen fragen.
Der Ordner ist tabu.
Niemals Passwörter in den Chat schreiben.
Immer zuerst die Sicherung raus.
晚上十点后别打电话。
改价格前先问王敏。
客户资料一律保密。
不许用外面的照片。
尽量用表格。
老数据库谁都不能碰。
发布之前要两个人看过。
超过三千元要签字。
夜十時以降は音楽禁止。
値段を変える前に佐藤さんに相談してください。
古いデータには触らないで。
個人情報は保存しない。
必ず二人でチェックする。
赤いケーブルは抜かないこと。
写真は許可なく使わないでください。
報告は箇条書きで。
We don't ship to PO boxes.
Visitors wear a badge at all times.
Clear it with Dana first.
Anything that leaves the lab needs a label.
The east door stays locked.
We never quote prices by phone.
You can't post photos of the kids.
For safety reasons nobody works alone at night.
The archive is off-limits to interns.
Everybody logs out before leaving.
We only pay against an invoice.
Read the manual first, then switch it on.
No shoes upstairs.
Phones off during meetings.
We don't discount new books.
Whatever comes from the kitchen gets a date.
Check with legal before you publish.
Drafts stay in the shared folder.
Keine Schuhe im Obergeschoss.
Nur mit Helm aufs Gerüst.
Rechnungen erst nach Freigabe bezahlen.
Wir liefern nicht ins Ausland.
Die Tür bleibt zu.
Passwörter gehören nicht in den Chat.
Vor jedem Release die Tests laufen lassen.
Bitte keine Anrufe nach acht.
Wir duzen uns alle.
Die Heizung bleibt auf 19 Grad.
Finger weg von den alten Backups!
Am Sonntag keine Nachrichten.
Jeder unterschreibt beim Betreten.
Ohne Termin kein Einlass.
Immer zwei Angebote einholen.
Das rote Kabel nicht anfassen.
Im Zweifel Mona fragen.
Denkt daran, das Licht auszumachen.
Alle Belege aufheben.
Zahlen immer mit zwei Nachkommastellen.
Auf der Baustelle gilt Helmpflicht.
Fremde haben hier keinen Zutritt.
Beim Schweißen Brille tragen.
Wir nennen keine Namen.
Erst messen, dann bohren.
Mehr als drei Leute dürfen nicht aufs Dach.
Der Ordner Archiv wird nicht angefasst.
Lasst den Hund nicht in die Küche.
Fotos nur mit Einwilligung.
Rabatte gibt es nur für Stammkunden.
密码不要写在群里。
合同要两个人签字。
晚上九点以后不打电话。
统一用公制单位。
进车间要戴安全帽。
客户的地址不对外。
先测试再上线。
超过五百元要审批。
照片不能外传。
旧仓库谁也不许进。
每周五备份一次。
发票由小李负责。
尽量少用英文缩写。
请假要提前三天说。
颜色保持蓝色。
只收现金。
不要动红色的线。
报告最多两页。
没有许可不得拍照。
改代码之前先开分支。
会議室では飲食禁止です。
返品は受け付けません。
写真は社外に出さないこと。
発注の前に必ず見積もりを取る。
資料はPDFで。
赤いボタンは押さないでください。
残業は一日二時間まで。
鍵は必ず返すこと。
契約書は二人で確認してください。
予算は五万円以内で。
火曜日の午前は電話しないで。
単位はメートルで統一。
顧客データは持ち出さない。
夜十時以降の通知は不可です。
名前は出さないように。
公開する前に佐藤さんの許可を取ること。
英語の略語は使わない。
勝手に値段を変えてはいけない。
入るときはヘルメットを着用すること。
古い設定ファイルには触らないように。
We don't take walk-ins on Saturdays.
All drivers report to the gate.
Square it with the landlord before you drill.
Anything over 50 kilos goes by freight.
The lights stay on overnight.
Guests may not enter the workshop.
For privacy reasons we don't log names.
The cellar is not for sale.
Members bring their own tools.
We won't share addresses with anyone.
Count the money first.
Doors closed after ten.
Back up the disk before every update.
Only Ann answers the press.
Kein Handy am Tisch.
Wir geben keine Rabatte.
Vor dem Essen Hände waschen.
Der Preis bleibt bei 20 Euro.
Änderungen nur über Jonas.
Niemandem die Adresse geben.
Alle Fenster abends schließen.
In der Werkstatt keine Kopfhörer.
Die Katze darf nicht raus.
Wir sprechen mit der Presse nur schriftlich.
Auf Mails nie nach 18 Uhr antworten.
Zuerst den Strom abschalten.
Die Liste bleibt unter uns.
Ohne Quittung keine Erstattung.
Bei Sturm alles reinholen.
Vertrauliches bitte nicht ausdrucken.
Der Code muss auf Python 3.11 laufen.
Alles unter 10 Euro bar zahlen.
Montags ist geschlossen.
仓库里不许抽烟。
周报周五之前交。
改动之后要写记录。
工资不公开。
尽量别加班。
所有图片都用PNG。
小王不吃花生。
快递只用顺丰。
开会前先发议程。
预算控制在三万以内。
晚上十点后保持安静。
文件名一律小写。
给老板的邮件先给我看。
不接私活。
钥匙放在前台。
倉庫は禁煙です。
鍵は持ち出さないでください。
締め切りは厳守してください。
社名は略さない。
窓は閉めて帰ること。
価格はまだ公表しないで。
コードは英語で書いてください。
送信前に必ず見直すこと。
値引きはしません。
一回の注文は十個まで。
来客には必ずお茶を出す。
夜は静かにしてください。
"""
TERSE_RULES = _RULES.splitlines()
