"""Models and measured quantities of `li`: drawn and measured, never computed from its theory."""
