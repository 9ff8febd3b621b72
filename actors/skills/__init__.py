"""SkillsActor: which skills there are, told to the model."""
