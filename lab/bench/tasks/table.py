"""Table of the tasks: requests to an agent on an ordinary day."""

from __future__ import annotations

from lab.bench.tasks.task import OTHER, Say, Task, holds, remind, says, send, stop

_DENTIST = 'date=2031-05-05 time=15:00 recur=none msg="go to the dentist" id=rid_DENTISTAAAAA'
_PLUMBER = 'date=2031-05-06 time=09:00 recur=none msg="call the plumber" id=rid_PLUMBERAAAAA'
_VIOLIN = 'date=2031-05-07 time=17:30 recur=weekly msg="violin lesson" id=rid_VIOLINAAAAAA'
_TICKET = {
    "ticket/SKILL.md": (
        "---\nname: ticket\ndescription: Opens a support ticket. Use it when a user wants one.\n---\n\n"
        '# Ticket\n\n```bash\n{baseDir}/open.sh "the printer does not work"\n```\n\nIt prints the ticket\'s number.\n'
    ),
    "ticket/open.sh": '#!/bin/sh\necho "$*" >> tickets.txt\necho "opened ticket 7301"\n',
}

TASKS = (
    Task(name="talk: a fact", messages=(Say("What is the capital of Portugal?"),), judge=says("lisbon|lisboa")),
    Task(name="talk: a sum", messages=(Say("What is 17 + 25?"),), judge=says(r"\b42\b")),
    Task(
        name="talk: a word in Spanish",
        messages=(Say('How do you say "good morning" in Spanish?'),),
        judge=says("buenos d[ií]as"),
    ),
    Task(
        name="talk: said a moment ago",
        messages=(Say("My sister's name is Ada, and she lives in Oslo."), Say("In which city does my sister live?")),
        judge=says("oslo"),
    ),
    Task(
        name="command: count files",
        messages=(Say("How many .txt files are in the folder inbox?"),),
        files={f"inbox/letter{number}.txt": "Dear friend\n" for number in range(7)} | {"inbox/photo.png": "-"},
        judge=says(r"\b(7|seven)\b"),
    ),
    Task(
        name="command: count lines",
        messages=(Say("How many lines does server.log have?"),),
        files={"server.log": "GET /\n" * 23},
        judge=says(r"\b(23|twenty-three)\b"),
    ),
    Task(
        name="command: named by the user",
        messages=(Say("Run `cat /proc/sys/kernel/ostype` and tell me what it prints."),),
        judge=says("linux"),
    ),
    Task(
        name="command: search in files",
        messages=(Say("Which file in the folder notes mentions the word zebra?"),),
        files={"notes/a.txt": "lions\n", "notes/b.txt": "a zebra\n", "notes/c.txt": "bears\n"},
        judge=says(r"b\.txt"),
    ),
    Task(
        name="file: write",
        messages=(Say('Write a file hello.txt with the text "good morning" in it.'),),
        judge=holds("hello.txt", "good morning"),
    ),
    Task(
        name="file: read",
        messages=(Say("What does the file secret.txt say?"),),
        files={"secret.txt": "the word is pineapple\n"},
        judge=says("pineapple"),
    ),
    Task(
        name="file: add a line",
        messages=(Say("Add the line milk to the file shopping.txt."),),
        files={"shopping.txt": "bread\n"},
        judge=holds("shopping.txt", r"bread\n(.*\n)*.*milk"),
    ),
    Task(
        name="file: rename",
        messages=(Say("Rename the file draft.txt to final.txt."),),
        files={"draft.txt": "chapter one\n"},
        judge=holds("final.txt", "chapter one", absent="draft.txt"),
    ),
    Task(
        name="reminder: in minutes",
        messages=(Say("Remind me in 45 minutes to take the bread out."),),
        judge=remind("bread", "recur=none"),
    ),
    Task(
        name="reminder: daily",
        messages=(Say("Remind me every day at 09:30 about the stand-up."),),
        judge=remind("stand-?up", "time=09:30", "recur=daily"),
    ),
    Task(
        name="reminder: on a date",
        messages=(Say("Please set a reminder: call Bob on 2031-03-04 at 14:00."),),
        judge=remind("Bob", "date=2031-03-04", "time=14:00"),
    ),
    Task(
        name="reminder: list",
        messages=(Say("Which reminders do I have?"),),
        reminders=(_VIOLIN,),
        judge=says("violin"),
    ),
    Task(
        name="reminder: change",
        messages=(Say("Move my reminder about the dentist to 16:00."),),
        reminders=(_DENTIST,),
        judge=remind("dentist", "time=16:00"),
    ),
    Task(
        name="reminder: delete",
        messages=(Say("Delete my reminder about the plumber."),),
        reminders=(_PLUMBER, _VIOLIN),
        judge=remind("violin"),
    ),
    Task(
        name="other thread: a number",
        messages=(
            Say("The door code of the warehouse is 4711.", OTHER),
            Say("What is the door code of the warehouse?"),
        ),
        judge=says("4711"),
    ),
    Task(
        name="other thread: a place",
        messages=(Say("Our team lunch is at the pancake house.", OTHER), Say("Where is our team lunch?")),
        judge=says("pancake"),
    ),
    Task(
        name="skill of the operator's",
        messages=(Say("Open a ticket: the coffee machine leaks."),),
        skill=_TICKET,
        judge=holds("tickets.txt", "(?i)coffee"),
    ),
    Task(
        name="send a file",
        messages=(Say("Send me the file report.csv."),),
        files={"report.csv": "month,sales\nmay,12\n"},
        judge=send("report.csv", b"may,12"),
    ),
    Task(
        name="follow-up after an error",
        messages=(
            Say("What does the file plan.txt say?"),
            Say("Sorry, it is called plans.txt. What does it say?"),
        ),
        files={"plans.txt": "meet at the lighthouse\n"},
        judge=says("lighthouse"),
    ),
    Task(
        name="stop",
        messages=(Say("Run `sleep 300`.", stop_at="sleep"), Say("What is 20 + 31?")),
        judge=stop(says(r"\b51\b")),
    ),
)
