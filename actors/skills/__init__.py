"""Skills: SkillsActor, which lists the skill folders for the model.

Read first `actor.py` (its contribution to a turn), then `actors/skill_files/` (search of folders, reading of files),
then `domain/turn/skill.py` (rules of a skill's file, and the wording of the list).
No module here writes a file: people and other programs change the folders at any time.
"""

from __future__ import annotations
