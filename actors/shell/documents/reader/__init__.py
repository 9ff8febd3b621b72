"""Reader of one document: the program of a child process, which has the document on stdin and no way to anything else.

Read `program.py` first, then `report.py` (lines to the agent), then `pdf.py`, `word.py` with `paragraphs.py`, and
`sheets.py`. `package.py` looks at Office files before a library does. Modules import one another and libraries only,
since a sandbox shows this folder alone.
"""
