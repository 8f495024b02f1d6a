"""Studies are scripts: their folders are on the path when they run, and so they are here."""

from rmtsim.cli._studies import study_names

study_names()
