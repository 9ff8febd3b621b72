"""Talk of other things: turns between the first words of a work and the much later questions about it."""

from __future__ import annotations

import random
from collections.abc import Iterator

_THINGS = {
    "en": (
        "the printer on the second floor", "the coffee machine", "my bicycle", "the quarterly survey", "the team lunch",
        "the parking permit", "the garden shed", "that podcast about bridges", "the new keyboard", "the rehearsal",
        "the leaking tap", "the train timetable", "the photo archive", "the spreadsheet of the club", "the old laptop",
        "the museum visit", "the dentist's letter", "the neighbour's cat", "the weather app", "the school play",
    ),
    "zh": (
        "二楼的打印机", "咖啡机", "我的自行车", "季度调查", "团队午餐", "停车证", "花园的棚子", "那个关于桥的播客",
        "新键盘", "合唱排练", "漏水的水龙头", "火车时刻表", "照片档案", "俱乐部的表格", "旧电脑",
    ),
}  # fmt: skip
_LINES = {
    "en": (
        "Can you tell me in two sentences what is going on with {thing}? I lost track of it somewhere last week.",
        "I had a look at {thing} yesterday and {count} people have signed up so far, which surprised me a bit.",
        "What would you do about {thing}? Bob thinks we should wait, Carol would rather have it over with.",
        "Thanks, that helped. By the way, {thing} works again since somebody turned it off and on {count} times.",
        "Please write a short friendly note about {thing} for the board in the kitchen.",
        "Number {count} on my list is {thing}. Could you sort the points that we have by how much work they are?",
        "Did anything come of {thing}? I only remember that there were {count} open questions.",
        "Let's not worry about {thing} today, it can wait until somebody complains.",
        "Is it true that {thing} costs {count} a month? That seems like a lot to me.",
        "My sister says {thing} is the best thing that happened to her in {count} weeks.",
        "Summarise what we know about {thing}, please, and leave out the boring parts.",
        "Translate this for the visitors, please: “Welcome, {thing} is to your left behind door {count}.”",
        "How long does it usually take until {thing} is back? Last time it was {count} hours.",
    ),
    "zh": (
        "能用两句话告诉我{thing}怎么样了吗?我上周就跟丢了。",
        "我昨天看了一下{thing},已经有{count}个人报名了,有点意外。",
        "关于{thing}你会怎么办?小王想等等,小李想快点结束。",
        "谢谢,有帮助。顺便说一下,{thing}重启了{count}次以后又好了。",
        "请写一张关于{thing}的友好便条,贴在厨房里。",
        "我单子上的第{count}项是{thing}。能按工作量排一下吗?",
        "{thing}后来有结果吗?我只记得还有{count}个问题。",
        "今天先不管{thing}了,可以等等。",
        "{thing}每个月真的要{count}块吗?好像有点多。",
        "请总结一下我们对{thing}的了解,无聊的部分可以省略。",
    ),
}
_ANSWERS = {
    "en": (
        "Here is what I have: it is being looked after, and somebody will say so when it is done. No work for us.",
        "I would wait a little and then ask again; so far there is no hurry, as far as I can see from here.",
        "Done. It is short and friendly, and it says where to go with questions. Shall I change anything about it?",
        "As far as I know it is as you say; the rest is guesswork, so I would rather not add anything to that.",
        "Two points matter there, the time that it takes and who does it; the first of them is settled by now.",
    ),
    "zh": (
        "据我所知,已经有人在处理,完成后会通知大家。我们不用做什么。",
        "我会再等一等,然后再问一次;目前看来并不着急。",
        "写好了,简短而友好,也说明了有问题找谁。",
    ),
}  # fmt: skip


_LINES_A_TURN = {"en": 2, "zh": 6}
"""Lines of a turn by language, for turns of similar length in all languages."""


def talk(language: str, turns: int, seed: str) -> Iterator[tuple[str, str]]:
    """Messages and answers, turn after turn; hardly ever the same twice."""
    chance = random.Random(seed)
    for _ in range(turns):
        lines = chance.sample(_LINES[language], _LINES_A_TURN[language])
        message = " ".join(
            line.format(thing=chance.choice(_THINGS[language]), count=chance.randint(2, 59)) for line in lines
        )
        yield message, chance.choice(_ANSWERS[language])
