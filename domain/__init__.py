"""Rules: pure decisions, without threads, files, clocks or chance; equal arguments give equal answers.

Read first `log/` (contents of a window's log), second `turn/` (meaning of a log, and the prompt for a model), third
`memory/` or `reminder/` (memories, due reminders; `edit/` is for files also edited by people). `policy/` decides
permissions and reactions to failures, `text/` cuts and cleans text, `offline/` stands in for a language model.
All of the package is pure: the actors write every file.
"""
