from __future__ import annotations

import pytest

from domain.workspace.recall.go_on import LONGEST, goes_on

WITHOUT_MARKS = str.maketrans("äöü", "aou")


@pytest.mark.parametrize(
    "message",
    [
        *(
            "continue",
            "ok, let's continue please",
            "go on",
            "carry on then",
            "what's next?",
            "what next",
            "what should i do next?",
        ),
        *(
            "where were we?",
            "where did we leave off yesterday?",
            "ready to pick up where we left off",
            "next steps please",
        ),
        *("status?", "what is left to do?", "back to work", "please proceed", "what is the current status?", "resume"),
        *(
            "weiter",
            "weiter bitte",
            "mach mal weiter",
            "wie geht's weiter?",
            "was kommt als nächstes?",
            "was steht als nächstes an?",
        ),
        *(
            "wo waren wir stehen geblieben?",
            "wo haben wir aufgehört?",
            "wie ist der stand?",
            "nächste schritte",
            "was nun?",
        ),
        *(
            "继续",
            "请继续",
            "我们上次说到哪里了？",
            "接下来做什么？",
            "下一步呢？",
            "好的，接着说",
            "進度如何",
            "繼續吧",
        ),
        *(
            "続けて",
            "続きをお願いします",
            "次は何ですか？",
            "どこまでやったっけ？",
            "では、次に何をしますか",
            "再開しましょう",
        ),
        *("계속해줘", "다음은 뭐야?", "어디까지 했지?", "자, 이어서 하자", "진행 상황은?", "계속"),
    ],
)
def test_a_message_that_says_only_that_work_goes_on(message: str) -> None:
    assert goes_on(message.translate(WITHOUT_MARKS))


@pytest.mark.parametrize(
    "message",
    [
        *(
            "how do i continue a for loop in python?",
            "next stop is rome",
            "go on holiday",
            "can you write my resume",
            "thanks",
        ),
        *(
            "what is the status of the kiln?",
            "continue with the glaze",
            "hello",
            "ok",
            "",
            "what's the plan for today?",
        ),
        *("weiterbildung", "wie geht es dir?", "der zug fährt weiter nach wien", "wo waren wir im urlaub?"),
        *("继续教育是什么？", "下一步棋怎么走？", "続きの小説", "다음 주 날씨", "계속 비가 오네"),
    ],
)
def test_a_message_that_says_something_else(message: str) -> None:
    assert not goes_on(message.translate(WITHOUT_MARKS))


def test_a_long_message_says_more_than_that() -> None:
    assert goes_on("continue " + "please " * 5)
    assert not goes_on("continue " + "please " * (LONGEST // 6))
