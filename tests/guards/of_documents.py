"""Guards of documents: bounds of the process that reads them, and archives that stay closed."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_ROOM = "actors/shell/documents"
_READING = f"{_ROOM}/test_reading.py::test_a_reader_has_bounds_and_sees_nothing_of_the_agent"
_PACKAGE = f"{_ROOM}/reader/test_package.py"

OF_DOCUMENTS: tuple[Guard, ...] = (
    *guards_of(
        f"{_ROOM}/reading.py",
        ("ulimit -v {MOST_MEMORY_BYTES >> 10}; ", "", _READING),
        ("ulimit -t {MOST_CPU_S:.0f}; ", "", _READING),
        ("; ulimit -f 0", "", _READING),
    ),
    *guards_of(
        f"{_ROOM}/report.py",
        (
            "        if self._chars > MOST_DOCUMENT_CHARS:\n            return False\n",
            "",
            f"{_ROOM}/test_report.py::test_a_reader_that_says_too_much_is_not_heard_on",
        ),
    ),
    *guards_of(
        f"{_ROOM}/reader/package.py",
        (
            "    parser.StartDoctypeDeclHandler = _refuse_doctype\n",
            "",
            f"{_PACKAGE}::test_entities_are_not_expanded_for_no_document_type_is_taken",
        ),
        (
            "    if unpacked > MOST_UNPACKED_BYTES:\n",
            "    if unpacked < 0:\n",
            f"{_PACKAGE}::test_a_small_archive_that_unpacks_to_much_is_not_unpacked",
        ),
        (
            "any(word in types for word in _MACROS) or ",
            "",
            f"{_PACKAGE}::test_files_with_macros_are_not_read",
        ),
    ),
    *guards_of(
        "actors/discord/incoming/reading/documents.py",
        (
            ", clean_text(answer.text)\n",
            ", answer.text\n",
            "actors/discord/incoming/reading/test_documents.py"
            "::test_the_words_of_a_document_have_no_control_characters_and_end_no_section",
        ),
    ),
)
