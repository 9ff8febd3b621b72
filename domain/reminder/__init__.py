"""Reminders: their lines, their file and their instants.

Read first `line.py` (the grammar of one line), second `recurrence.py` (local minutes as instants; dateutil adds the
months), third `due.py` (what a look at the file asks for, and how far time has been looked at). `document.py` reads
and edits a whole file, of which `file_lines.py` knows the lines that are no text; `undelivered.py` finds the lines of
undelivered firings again; `request.py` and `text.py` turn requests into reminders and reminders into words. All pure;
the scheduler is the only writer of the file.
"""

from __future__ import annotations
