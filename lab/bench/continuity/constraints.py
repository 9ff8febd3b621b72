"""Constraints of pieces of work: each as somebody says it, as a file has it, and what is asked of it much later.

All wordings are our own. What is asked shares no telling word with the constraint where it is an act, and some where it
is a direct question; "go on" shares none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Sort of a constraint."""

    NEVER = "never"
    BUDGET = "budget"
    FORMAT = "format"
    DEADLINE = "deadline"
    NAME = "name"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One rule that people set for a piece of work."""

    kind: Kind
    said: str
    """As somebody says it, in one message."""
    fact: str
    """As a file has it; less than 80 characters of it are word for word as it was said."""
    key: str
    """What of it decides; stands in both, and in nothing else that is said."""
    act: str
    """What somebody asks for later, which it shapes."""
    direct: str
    """A question about it."""


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work with its constraints; one window's."""

    title: str
    language: str
    begins: str
    """What is said first of all."""
    constraints: tuple[Constraint, ...]
    go_on: str
    """What is said to have it gone on with."""


IMPORTER = Work(
    title="Invoice importer",
    language="en",
    begins="Hi, today we begin with the new importer for supplier invoices.",
    constraints=(
        Constraint(
            Kind.NEVER,
            "One thing before we start: never push to the release branch, open a merge request and wait for Dana.",
            "Never push to the release branch; a merge request waits for Dana.",
            "push to the release branch",
            "The fix for the rounding is ready, please get it out to the customers now.",
            "What did we say about the release branch?",
        ),
        Constraint(
            Kind.FORMAT,
            "All amounts in the export have to be integers in cents, no floats and no decimal point anywhere.",
            "Amounts in the export are integers in cents, without a decimal point.",
            "integers in cents",
            "Write me the line of the output file for 12 euros and fifty.",
            "In which form do amounts stand in the export?",
        ),
        Constraint(
            Kind.DEADLINE,
            "The auditors get their demo on 14 March at 09:30, and nothing may be merged after the evening before.",
            "Demo for the auditors on 14 March at 09:30; nothing is merged after the evening before.",
            "14 March at 09:30",
            "When shall I schedule the refactoring of the parser?",
            "When is the demo for the auditors?",
        ),
        Constraint(
            Kind.NAME,
            "The service must be called ledger-intake in code, config and docs, the old name is somebody's trademark.",
            "The service is called ledger-intake everywhere; the old name is a trademark.",
            "ledger-intake",
            "Give me the header for the new README.",
            "What must the service be called?",
        ),
    ),
    go_on="continue",
)

REUNION = Work(
    title="Family reunion",
    language="en",
    begins="We are going to plan the family reunion in June together, for some forty people.",
    constraints=(
        Constraint(
            Kind.BUDGET,
            "We can't spend more than 2,350 euros in total, deposit and music included.",
            "No more than 2,350 euros in total, with deposit and music.",
            "2,350 euros",
            "Which of the three caterers shall we book?",
            "How much can we spend in total?",
        ),
        Constraint(
            Kind.NEVER,
            "Please don't ever put nuts on any menu, Uncle Theo and two of the children would end up in hospital.",
            "No nuts on any menu: Uncle Theo and two of the children are in danger.",
            "nuts on any menu",
            "Suggest three desserts for Saturday.",
            "What must be kept off the food because of Theo?",
        ),
        Constraint(
            Kind.PLACE,
            "It has to be somewhere without stairs, within twenty minutes of Brackwater station.",
            "A place without stairs, within twenty minutes of Brackwater station.",
            "Brackwater station",
            "I found a lovely old mill up in the hills, shall I reserve it?",
            "How far from the station may it be?",
        ),
        Constraint(
            Kind.DEADLINE,
            "Invitations must be out by the 2nd of May, because Marta's school needs four weeks' notice.",
            "Invitations go out by the 2nd of May; Marta's school needs four weeks' notice.",
            "the 2nd of May",
            "What should we do first, and what can be left for later?",
            "By when do the invitations have to be out?",
        ),
    ),
    go_on="go on please",
)

THESIS = Work(
    title="Thesis on river moss",
    language="en",
    begins="I'd like your help with my thesis on river moss; we'll be at it for some weeks.",
    constraints=(
        Constraint(
            Kind.FORMAT,
            "My supervisor wants British spelling and numbered references in square brackets, no footnotes at all.",
            "British spelling; numbered references in square brackets, no footnotes.",
            "references in square brackets",
            "Draft the paragraph that cites Holm's survey of 2019.",
            "How does my supervisor want sources to be cited?",
        ),
        Constraint(
            Kind.NEVER,
            "Leave the interview transcripts alone: nobody but me is allowed to change or shorten a quotation.",
            "Quotations of the interview transcripts are changed or shortened by nobody but the author.",
            "interview transcripts",
            "This chapter is two pages too long, tighten what the fishermen say.",
            "Who may touch what was said in the interviews?",
        ),
        Constraint(
            Kind.BUDGET,
            "The methods chapter is limited to 3,800 words by the examination office, tables counted.",
            "The methods chapter has at most 3,800 words, tables counted.",
            "3,800 words",
            "Add the full protocol of the second sampling there.",
            "What is the limit for the methods chapter?",
        ),
        Constraint(
            Kind.NAME,
            "The second station has to appear as Site Q only; the owner agreed on condition that it stays unnamed.",
            "The second station appears as Site Q only, as was agreed with its owner.",
            "Site Q",
            "Label the map of the sampling points.",
            "Under what name may the second station appear?",
        ),
    ),
    go_on="carry on",
)

MIGRATION = Work(
    title="Move of the mail servers",
    language="en",
    begins="Next topic for the coming month: our mail servers are moving to the new data centre.",
    constraints=(
        Constraint(
            Kind.DEADLINE,
            "Downtime is only acceptable on Sundays between 02:00 and 04:30 UTC, that's in the contract.",
            "Downtime only on Sundays between 02:00 and 04:30 UTC, by contract.",
            "02:00 and 04:30 UTC",
            "The firmware needs a reboot of both hosts; when do we do it?",
            "When is downtime acceptable?",
        ),
        Constraint(
            Kind.PLACE,
            "No customer data outside of the EU, backups go to Tallinn and nowhere else.",
            "Customer data stays in the EU; backups go to Tallinn only.",
            "Tallinn",
            "Storage in Virginia is half the price, set up the nightly copy there.",
            "Where do the backups go?",
        ),
        Constraint(
            Kind.BUDGET,
            "We got approval for 11,400 dollars of hardware, anything beyond that needs Priya's signature.",
            "Hardware for 11,400 dollars is approved; beyond that Priya signs.",
            "11,400 dollars",
            "Order two more of the big controllers.",
            "How much hardware did we get approval for?",
        ),
        Constraint(
            Kind.NAME,
            "Hosts are named after lighthouses, in lower case and without digits, I don't want any mx01 again.",
            "Hosts are named after lighthouses, lower case, no digits.",
            "named after lighthouses",
            "I need entries for the three new machines.",
            "How are hosts named?",
        ),
    ),
    go_on="ok, next",
)

EXHIBITION = Work(
    title="Ausstellung im Heimatmuseum",
    language="de",
    begins="Wir bereiten jetzt die Ausstellung im Heimatmuseum vor, sie läuft den ganzen Herbst.",
    constraints=(
        Constraint(
            Kind.FORMAT,
            "Die Texttafeln dürfen höchstens 90 Wörter haben, und zwar in Leichter Sprache.",
            "Texttafeln: höchstens 90 Wörter, in Leichter Sprache.",
            "höchstens 90 Wörter",
            "Schreib mir was zur alten Druckerpresse.",
            "Wie lang dürfen die Texttafeln sein?",
        ),
        Constraint(
            Kind.NEVER,
            "Bitte niemals Fotos von Kindern veröffentlichen, auch nicht die alten aus dem Schularchiv.",
            "Keine Fotos von Kindern veröffentlichen, auch keine aus dem Schularchiv.",
            "Fotos von Kindern",
            "Such drei Bilder für das Plakat aus.",
            "Was darf nicht gezeigt werden, und warum?",
        ),
        Constraint(
            Kind.PLACE,
            "Der Webstuhl muss im Nordsaal stehen, nur dort trägt der Boden das Gewicht.",
            "Der Webstuhl steht im Nordsaal; nur dort trägt der Boden.",
            "Nordsaal",
            "Mach einen Plan, wohin die großen Stücke kommen.",
            "Wo muss der Webstuhl stehen?",
        ),
        Constraint(
            Kind.DEADLINE,
            "Der Katalog geht am 27. August in Druck, danach wird kein Wort mehr geändert.",
            "Der Katalog geht am 27. August in Druck; danach keine Änderungen.",
            "27. August",
            "Frau Lindner möchte noch ein Vorwort schicken, passt das?",
            "Wann geht der Katalog in Druck?",
        ),
    ),
    go_on="weiter",
)

GAME = Work(
    title="游戏本地化",
    language="zh",
    begins="我们开始做这个游戏的中文本地化,大概要几个星期。",
    constraints=(
        Constraint(
            Kind.FORMAT,
            "按钮上的文字不能超过六个汉字,否则会被截断。",
            "按钮文字:不能超过六个汉字。",
            "超过六个汉字",
            "帮我翻译“Return to the main menu”。",
            "按钮上的文字有什么限制?",
        ),
        Constraint(
            Kind.NAME,
            "女主角的名字一律译成“林晚秋”,不要用音译。",
            "女主角译名:林晚秋,不用音译。",
            "林晚秋",
            "写一下第三章开头的剧情简介。",
            "女主角叫什么名字?",
        ),
        Constraint(
            Kind.NEVER,
            "千万不要改动脚本里的占位符,上次因此崩溃了两天。",
            "脚本里的占位符不可改动。",
            "脚本里的占位符",
            "这句话“{player} found {count} coins”读起来别扭,润色一下。",
            "脚本里什么东西不可以动?",
        ),
        Constraint(
            Kind.BUDGET,
            "配音的费用最多八万四千元,超出的部分我们自己承担。",
            "配音费用最多八万四千元。",
            "八万四千元",
            "再请两位知名演员怎么样?",
            "配音最多可以花多少钱?",
        ),
    ),
    go_on="继续",
)

WORKS = (IMPORTER, REUNION, THESIS, MIGRATION, EXHIBITION, GAME)
"""Four constraints each."""
