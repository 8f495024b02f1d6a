"""Compiled loops that only `sparse` uses."""
