"""The engine on trial: synthetic claims whose truth is known, and the tests of the trial itself."""
