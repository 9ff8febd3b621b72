"""Guards of words: readers, secrets, lines that pose as the runtime's, and steered terminals."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_AUDIENCE = "domain/policy/test_audience.py"
_KINDS = f"{_AUDIENCE}::test_words_go_where_nobody_reads_them_who_could_not_anyway"
_SCRUB = "domain/text/test_secret_scrub.py"
_IMITATION = "domain/text/test_imitation.py"
_SPEAKER = "domain/turn/test_speaker.py"
_ROUND_TRIP = f"{_IMITATION}::test_each_line_that_is_written_is_known_and_each_that_is_known_is_written"

OF_WORDS: tuple[Guard, ...] = (
    *guards_of(
        "domain/policy/access.py",
        (
            "    return Standing.NOBODY if access.viewer_roles.isdisjoint(roles) else Standing.VIEWER\n",
            "    return Standing.MEMBER\n",
            "domain/policy/test_access.py::test_empty_lists_hear_nobody",
        ),
    ),
    *guards_of(
        "domain/policy/audience.py",
        ("source is None or target is None or ", "", f"{_AUDIENCE}::test_what_is_not_known_is_shown_nowhere_else"),
        (
            "source.is_private or ",
            "",
            f"{_AUDIENCE}::test_a_private_thread_sees_its_channel_and_shows_nobody_anything",
        ),
        (" or source.guild_id != target.guild_id:", ":", f"{_AUDIENCE}::test_another_server_sees_nothing"),
        (
            "all(_has(grant, person) for grant in source.reads)",
            "_has(source.sees, person)",
            f"{_AUDIENCE}::test_who_sees_a_channel_but_not_what_was_said_before_has_not_read_it",
        ),
        ("    if person.member in grant.denied_members:\n        return False\n", "", _KINDS),
        ("    if not person.roles.isdisjoint(grant.denied_roles):\n        return False\n", "", _KINDS),
        (", *combinations(_sorts_of_roles(grants), 2))", ")", _KINDS),
        (
            "    return NO_VIEW if audience is None else",
            '    return "0-0" if audience is None else',
            f"{_AUDIENCE}::test_windows_of_a_channel_share_a_view",
        ),
    ),
    *guards_of(
        "domain/policy/known_readers.py",
        (
            "                self._of.pop(key, None)\n",
            "                pass\n",
            "domain/policy/test_known_readers.py"
            "::test_whatever_is_learned_in_whatever_order_each_channel_is_known_as_its_windows_say",
        ),
        (
            "            news = dict.fromkeys(self._of) | news\n",
            "            pass\n",
            "domain/policy/test_known_readers.py"
            "::test_whatever_is_learned_in_whatever_order_each_channel_is_known_as_its_windows_say",
        ),
    ),
    *guards_of(
        "domain/text/secret_scrub.py",
        ("        secret[::-1],\n", "", f"{_SCRUB}::test_a_secret_is_removed_in_every_disguise"),
        (
            '        quote(raw, safe=""),\n        quote_plus(raw),\n',
            "",
            f"{_SCRUB}::test_a_secret_is_removed_in_every_disguise",
        ),
        ("        percent.upper(),\n", "", f"{_SCRUB}::test_a_secret_is_removed_in_every_disguise"),
        ("        raw.hex().upper(),\n", "", f"{_SCRUB}::test_a_secret_is_removed_in_every_disguise"),
        ('        raw.hex(" "),\n', "", f"{_SCRUB}::test_a_secret_is_removed_in_every_disguise"),
        ("range(3)", "range(1)", f"{_SCRUB}::test_no_base64_of_anything_around_it_carries_a_secret_out"),
        (
            ", core.translate(_TO_URL_SAFE)}",
            "}",
            f"{_SCRUB}::test_both_alphabets_of_base64_are_known",
        ),
        (
            "key=lambda form: (-len(form), form)",
            "key=lambda form: (len(form), form)",
            f"{_SCRUB}::test_of_two_secrets_the_longer_goes_whole",
        ),
        (
            " or any(secret in bare for secret in self._bare)",
            "",
            f"{_SCRUB}::test_a_secret_is_found_though_something_is_strewn_among_it",
        ),
    ),
    *guards_of(
        "actors/discord/outgoing/redaction.py",
        (
            "presentable(self._scrubber.scrub(text))",
            "presentable(text)",
            "actors/discord/outgoing/test_live.py::test_neither_a_secret_nor_anything_hidden_is_shown",
        ),
    ),
    *guards_of(
        "domain/text/imitation.py",
        (
            '    OwnLine("block", r"[il1|]njected[ _-]{0,3}context"),\n',
            "",
            _ROUND_TRIP,
        ),
        ('    OwnLine("header of a message", _HEADER),\n', "", _ROUND_TRIP),
        (
            '    OwnLine("turn without an answer", r"[\\[(]? ?no ?answer ?was ?given"),\n',
            "",
            _ROUND_TRIP,
        ),
        (
            "without_unseen(line)",
            "line",
            f"{_IMITATION}::test_no_disguise_that_we_know_hides_a_line_of_the_runtimes",
        ),
        (
            '" ".join(as_seen(words[:_LOOKED_AT]).split())',
            "words[:_LOOKED_AT]",
            f"{_IMITATION}::test_no_disguise_that_we_know_hides_a_line_of_the_runtimes",
        ),
        (
            'words = " ".join(line[begin.end() if begin else 0 :].split())',
            "words = line[begin.end() if begin else 0 :]",
            f"{_IMITATION}::test_a_gap_of_any_length_hides_nothing",
        ),
    ),
    *guards_of(
        "domain/turn/speaker.py",
        (
            '_REPLACED = {"[": "(", "]": ")", ',
            '_REPLACED = {"]": ")", ',
            f"{_SPEAKER}::test_a_shown_name_hides_nothing_and_has_none_of_the_runtimes_punctuation",
        ),
        (
            "    if len(scripts) > 1 or not scripts.issubset(_SCRIPTS):\n        return False\n",
            "",
            f"{_SPEAKER}::test_a_name_in_two_scripts_or_in_an_unknown_one_is_never_alone",
        ),
        (
            "    return words.isdisjoint(_ROLE_LIKENESSES)\n",
            "    return True\n",
            f"{_SPEAKER}::test_a_name_that_is_a_roles_or_says_nothing_is_never_alone",
        ),
    ),
    *guards_of(
        "domain/text/terminal_text.py",
        (
            '    text = _CONTROL.sub("", text)\n',
            "",
            "domain/text/test_terminal_text.py::test_nothing_that_steers_a_terminal_is_left",
        ),
        (
            '        text = _SEQUENCE.sub("", text)\n',
            "        pass\n",
            "domain/text/test_terminal_text.py::test_a_reader_sees_what_a_terminal_would_have_left",
        ),
    ),
    *guards_of(
        "actors/cli/terminal/streams.py",
        (
            'self._stream.write(visible(text.replace("\\r\\n", "\\n")))',
            "self._stream.write(text)",
            "actors/cli/terminal/test_streams.py::test_what_is_looked_into_is_shown_and_steers_nothing",
        ),
    ),
    *guards_of(
        "domain/facts/folders.py",
        (
            '    if name.startswith("."):\n        name = f"%2E{name[1:]}"\n',
            "",
            "domain/facts/test_folders.py::test_a_folder_is_one_safe_name",
        ),
        (
            '    if len(name) <= MOST_BYTES:\n        return name\n    return f"{name[:_BEFORE_HASH]}~{hashlib.sha256(data).hexdigest()}"\n',
            "    return name[:MOST_BYTES]\n",
            "domain/facts/test_folders.py::test_long_ids_that_begin_alike_have_folders_of_their_own",
        ),
    ),
    *guards_of(
        "domain/facts/injection.py",
        (
            "    flat = _INDENT.join(content.strip().splitlines())\n",
            "    flat = content.strip()\n",
            "domain/facts/test_injection.py::test_a_memory_cannot_pose_as_another",
        ),
    ),
    *guards_of(
        "actors/facts/store/git.py",
        (
            '    *("-c", "core.hooksPath=/dev/null"),\n',
            "",
            "actors/facts/store/test_git.py"
            "::test_a_repository_around_it_is_left_alone_and_its_hooks_and_settings_count_for_nothing",
        ),
        (
            '{name: value for name, value in os.environ.items() if not name.startswith("GIT_")}',
            "dict(os.environ)",
            "actors/facts/store/test_git.py"
            "::test_a_repository_around_it_is_left_alone_and_its_hooks_and_settings_count_for_nothing",
        ),
    ),
)
