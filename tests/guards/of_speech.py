"""Guards of speech: places of keys, files of commands, and words that were really said."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_ACTOR = "actors/transcribe/test_actor.py"
_SERVER = "actors/transcribe/test_server.py"
_WORDS = f"{_SERVER}::test_answers_of_every_form_are_words_and_silence_is_none"
_OFF = "e2e/test_voice.py::test_without_the_setting_the_bot_says_that_it_cannot_listen"

OF_SPEECH: tuple[Guard, ...] = (
    *guards_of(
        "actors/transcribe/part.py",
        (
            '    return "" if plan.settings.transcribe.url else plan.secrets.get(OPENAI_KEY, "")\n',
            '    return plan.secrets.get(OPENAI_KEY, "")\n',
            "actors/transcribe/test_part.py::test_openais_key_goes_to_openai_only",
        ),
    ),
    *guards_of(
        "actors/transcribe/actor.py",
        (
            "        return read_beneath(folder, name, self._config.most_bytes)\n",
            "        return (folder / name).read_bytes()\n",
            f"{_ACTOR}::test_a_file_elsewhere_a_link_and_nothing_at_all_are_refused",
        ),
        (
            "self._queue.waiting_of(request.window) >= MOST_OF_WINDOW or ",
            "",
            f"{_ACTOR}::test_a_window_may_have_so_many_recordings_waiting",
        ),
    ),
    *guards_of(
        "actors/transcribe/server.py",
        (
            "read_whole(response, MOST_ANSWER_BYTES)",
            "read_whole(response)",
            f"{_SERVER}::test_an_answer_without_end_is_given_up",
        ),
        (
            "        if container is None:\n",
            "        if False:\n",
            f"{_SERVER}::test_what_is_no_recording_is_sent_nowhere",
        ),
    ),
    *guards_of(
        "actors/transcribe/answer.py",
        ("_MADE_UP.fullmatch(plain) or ", "", _WORDS),
        (" or _is_loop(plain.split())", "", _WORDS),
        ("silence >= _DOUBTFUL and plain in _OFTEN_MADE_UP", "False", _WORDS),
        ('else " " for each in text', 'else "" for each in text', _WORDS),
    ),
    *guards_of(
        "actors/transcribe/program.py",
        (
            'audio=shlex.quote(f"file:./{path}")',
            "audio=f\"'file:./{path}'\"",
            "actors/transcribe/test_program.py::test_a_recording_is_converted_and_listened_to_whatever_its_name",
        ),
    ),
    *guards_of(
        "actors/discord/incoming/arrival.py",
        (" and not unpacked.unheard", "", _OFF),
    ),
    *guards_of(
        "domain/turn/attachments.py",
        (
            "file.text if file.heard_by or len(file.text) <= room else",
            "file.text if len(file.text) <= room else",
            "domain/turn/test_attachments.py::test_spoken_words_are_whole_whatever_the_budget_and_found_again",
        ),
    ),
    *guards_of(
        "domain/turn/forgetting/texts.py",
        (
            "    yield from spoken_texts(event.content)\n",
            "",
            "domain/turn/forgetting/test_scope.py::test_spoken_words_take_their_verbatim_repetitions_along",
        ),
    ),
)
