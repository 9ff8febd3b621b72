"""Skills: SkillsActor, which tells the model which skill folders there are.

Read first `actor.py` (what it contributes to a turn), then `actors/skill_files/` (how folders are searched and files
read), then `domain/turn/skill.py` (what a skill's file must hold, and how skills are worded).
Nobody here writes a file: people and other programs change the folders at any time.
"""

from __future__ import annotations
