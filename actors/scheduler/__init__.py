"""SchedulerActor: the reminders file, and what is due in it."""
