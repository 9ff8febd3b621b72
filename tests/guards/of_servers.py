"""Guards against hostile servers: bounds of answers, redirections, packed answers, and what their words may do."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_BOUNDED = "actors/http_client/test_bounded_answers.py"
_ENDED = f"{_BOUNDED}::test_what_has_no_end_is_ended_soon_with_words_that_name_the_rule"
_MODEL = "actors/model/test_hostile_answers.py"
_EACH = f"{_MODEL}::test_each_attack_is_one_request_and_a_failure_that_names_the_rule"
_EMBEDDER = "actors/embedder/test_hostile_answers.py"
_DOWNLOAD = "actors/local_model/test_download.py"
_TEXT = "domain/text/answer/test_thoughts.py::test_any_text_is_read_in_little_time"
_GAPS = "actors/web/test_article.py::test_gaps_of_any_length_take_no_time_that_grows_with_the_square_of_it"

OF_SERVERS: tuple[Guard, ...] = (
    *guards_of(
        "actors/http_client/bounded_answers.py",
        (
            "        if not self._has_head and self._received > self._bounds.head_bytes:\n",
            "        if False:\n",
            _ENDED,
        ),
        (
            "        if most is not None and self._received > most:\n",
            "        if False:\n",
            _ENDED,
        ),
        (
            "        if self._interim > self._bounds.interim_answers:\n",
            "        if False:\n",
            _ENDED,
        ),
        (
            "        self._received = self._interim = 0\n        self._has_head = False\n\n    def data",
            "\n    def data",
            f"{_BOUNDED}::test_each_answer_of_a_kept_connection_has_the_bounds_anew",
        ),
        (
            "    if 300 <= status < 400 and location is not None:\n",
            "    if False:\n",
            f"{_BOUNDED}::test_a_session_with_a_key_takes_no_detour",
        ),
        (
            '    return presentable(" ".join(words))[:MOST_SHOWN_CHARS]\n',
            '    return " ".join((text or "").split())\n',
            f"{_BOUNDED}::test_words_of_a_server_are_one_line_that_steers_nothing",
        ),
    ),
    *guards_of(
        "actors/http_client/library_transport.py",
        (
            '        request.headers["Accept-Encoding"] = "identity"\n        response = await plain(request)\n',
            "        return await plain(request)\n",
            f"{_MODEL}::test_neither_key_nor_words_follow_a_redirection_to_another_server",
        ),
        (
            ", bounds=Bounds(answer_bytes=MOST_BYTES)\n",
            "\n",
            f"{_MODEL}::test_answers_that_litellm_reads_have_bounds_too",
        ),
    ),
    *guards_of(
        "actors/model/routed.py",
        (
            "    if location and target.isprintable() and (is_same or is_secured):\n",
            "    if True:\n",
            f"{_MODEL}::test_neither_key_nor_words_follow_a_redirection_to_another_server",
        ),
        ("        if self._bytes > MOST_ANSWER_BYTES:\n", "        if False:\n", _EACH),
        ("        require_room(self._answer.assembly)\n", "", _EACH),
    ),
    *guards_of(
        "actors/model/calls.py",
        (
            "            async with limit:\n",
            "            if True:\n",
            f"{_MODEL}::test_a_stream_that_drips_without_end_is_ended_and_others_are_answered_meanwhile",
        ),
    ),
    *guards_of(
        "actors/embedder/google.py",
        (
            "            middlewares=(refuse_detours,),\n",
            "",
            f"{_EMBEDDER}::test_neither_key_nor_texts_follow_a_redirection",
        ),
        (
            "CleanConnector(bounds=Bounds(answer_bytes=MOST_BYTES))",
            "CleanConnector()",
            f"{_EMBEDDER}::test_an_answer_without_end_is_given_up",
        ),
    ),
    *guards_of(
        "actors/local_model/download.py",
        (
            "            middlewares=(self._judge_redirection,),\n",
            "",
            f"{_DOWNLOAD}::test_a_hub_that_leads_to_a_service_without_https_is_not_followed",
        ),
        (
            "                if not pace.keeps_up(len(block)):\n",
            "                if False:\n",
            f"{_DOWNLOAD}::test_a_hub_that_drips_is_given_up_and_what_came_is_kept",
        ),
        (
            "{shown_words(response.reason)}",
            "{response.reason}",
            f"{_DOWNLOAD}::test_words_of_a_hub_steer_no_terminal",
        ),
    ),
    *guards_of(
        "domain/text/answer/thoughts.py",
        (
            "            if end is None or end.start() < begin.end():",
            "            if True:",
            _TEXT,
        ),
    ),
    *guards_of(
        "domain/text/answer/reading.py",
        (
            "name=_plain_name(name)",
            "name=name",
            "domain/text/answer/test_assembly.py::test_names_and_ids_of_calls_are_kept_short_and_steer_nothing",
        ),
        (
            " and call_id.isprintable()\n",
            "\n",
            "domain/text/answer/test_assembly.py::test_names_and_ids_of_calls_are_kept_short_and_steer_nothing",
        ),
    ),
    *guards_of(
        "domain/policy/retrying.py",
        (
            "names, message = tuple(type_names), message[:_MOST_SEARCHED]",
            "names = tuple(type_names)",
            "domain/policy/test_retrying.py::test_words_of_a_server_are_judged_in_little_time",
        ),
    ),
    *guards_of(
        "actors/web/article.py",
        ("and _LONG_GAP.search(el):\n", "and False:\n", _GAPS),
        (", strip_pre=None)", ")", _GAPS),
    ),
)
