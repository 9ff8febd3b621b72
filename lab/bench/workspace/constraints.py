"""Constraints of pieces of work: each as a person's message, as a line of a file, and as a much later question.

All wordings are our own. A request for an act shares no telling word with the constraint, a direct question shares
some; "go on" shares none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constraint:
    """Rule set by people for a piece of work."""

    utterance: str
    """Constraint in the words of a person, in one message."""
    fact: str
    """Constraint as in a file; less than 80 characters are word for word as in the message."""
    key: str
    """Deciding part of the constraint; stands in both texts, and in no other message."""
    act: str
    """Later request for an act shaped by the constraint."""
    direct: str
    """Question about the constraint."""


@dataclass(frozen=True, slots=True)
class Work:
    """Piece of work with its constraints, in a single window."""

    title: str
    language: str
    begins: str
    """First message."""
    constraints: tuple[Constraint, ...]
    go_on: str
    """Message asking to continue."""


IMPORTER = Work(
    title="Invoice importer",
    language="en",
    begins="Hi, today we begin with the new importer for supplier invoices.",
    constraints=(
        Constraint(
            "One thing before we start: never push to the release branch, open a merge request and wait for Dana.",
            "Never push to the release branch; a merge request waits for Dana.",
            "push to the release branch",
            "The fix for the rounding is ready, please get it out to the customers now.",
            "What did we say about the release branch?",
        ),
        Constraint(
            "All amounts in the export have to be integers in cents, no floats and no decimal point anywhere.",
            "Amounts in the export are integers in cents, without a decimal point.",
            "integers in cents",
            "Write me the line of the output file for 12 euros and fifty.",
            "In which form do amounts stand in the export?",
        ),
        Constraint(
            "The auditors get their demo on 14 March at 09:30, and nothing may be merged after the evening before.",
            "Demo for the auditors on 14 March at 09:30; nothing is merged after the evening before.",
            "14 March at 09:30",
            "When shall I schedule the refactoring of the parser?",
            "When is the demo for the auditors?",
        ),
        Constraint(
            "The service must be called ledger-intake in code, config and docs, the old name is somebody's trademark.",
            "The service is called ledger-intake everywhere; the old name is a trademark.",
            "ledger-intake",
            "Give me the header for the new README.",
            "What must the service be called?",
        ),
    ),
    go_on="continue",
)

GAME = Work(
    title="游戏本地化",
    language="zh",
    begins="我们开始做这个游戏的中文本地化,大概要几个星期。",
    constraints=(
        Constraint(
            "按钮上的文字不能超过六个汉字,否则会被截断。",
            "按钮文字:不能超过六个汉字。",
            "超过六个汉字",
            "帮我翻译“Return to the main menu”。",
            "按钮上的文字有什么限制?",
        ),
        Constraint(
            "女主角的名字一律译成“林晚秋”,不要用音译。",
            "女主角译名:林晚秋,不用音译。",
            "林晚秋",
            "写一下第三章开头的剧情简介。",
            "女主角叫什么名字?",
        ),
        Constraint(
            "千万不要改动脚本里的占位符,上次因此崩溃了两天。",
            "脚本里的占位符不可改动。",
            "脚本里的占位符",
            "这句话“{player} found {count} coins”读起来别扭,润色一下。",
            "脚本里什么东西不可以动?",
        ),
        Constraint(
            "配音的费用最多八万四千元,超出的部分我们自己承担。",
            "配音费用最多八万四千元。",
            "八万四千元",
            "再请两位知名演员怎么样?",
            "配音最多可以花多少钱?",
        ),
    ),
    go_on="继续",
)

WORKS = (IMPORTER, GAME)
"""Four constraints each."""
