"""Models and measured quantities of `wu`: drawn and measured, never computed from its theory."""
