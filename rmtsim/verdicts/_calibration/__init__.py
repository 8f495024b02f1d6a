"""The engine on trial: synthetic claims whose truth is known."""
