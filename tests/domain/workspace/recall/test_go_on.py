from __future__ import annotations

import pytest

from domain.workspace.recall.go_on import LONGEST, goes_on
from tests.domain.workspace.recall.said_otherwise import SAYS_MORE
from tests.domain.workspace.recall.said_to_go_on import GOES_ON

WITHOUT_MARKS = str.maketrans("äöüÄÖÜ？", "aouaou?")


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


@pytest.mark.parametrize("message", GOES_ON)
def test_the_many_ways_to_say_it(message: str) -> None:
    assert goes_on(message.translate(WITHOUT_MARKS).casefold())


@pytest.mark.parametrize("message", SAYS_MORE)
def test_what_shares_words_with_them_and_says_more(message: str) -> None:
    assert not goes_on(message.translate(WITHOUT_MARKS).casefold())


@pytest.mark.parametrize(
    "message",
    [
        "再開",
        "次",
        "進捗どう?",
        "現状",
        "remembrancer, go on",
        "go on, remembrancer",
        "ok 继续",
        "hi, 계속하자",
        "sorry for the wait, go on",
    ],
)
def test_a_name_beside_a_comma_and_courtesies_say_nothing_else(message: str) -> None:
    assert goes_on(message)


@pytest.mark.parametrize(
    "message", ["来了" * 40, "계속하" * 26, "つづけてい" * 16, "and we " * 11, "그" * 80, "という" * 26]
)
def test_a_message_of_fillers_alone_is_no_trouble(message: str) -> None:
    assert isinstance(goes_on(message), bool)
