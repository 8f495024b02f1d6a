"""Models and measured quantities of `liu`: drawn and measured, never computed from its theory."""
