"""Rules: what is right, decided without threads, files, clocks or chance; the same arguments give the same answer.

Read first `log/` (what a window's log holds), second `turn/` (what it means, and what a model is shown), third
`memory/` or `reminder/` (what is remembered, what is due; `edit/` is for files that people edit too). `policy/` says
who may do what and what comes after a failure, `text/` cuts and cleans text, `offline/` stands in for a language model.
All of it is pure: the actors write every file.
"""
