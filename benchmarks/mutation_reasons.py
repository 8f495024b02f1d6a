"""Why some constants need no test (for mutations.py)."""


def reason(entry):
    return ""
