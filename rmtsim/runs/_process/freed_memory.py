"""Freed memory stays with the process for a while: samplers free and ask for arrays of one size again and again.

The C library of Linux gives blocks from 128 KiB on back to the system at once, and gets them anew page by page, each
cleared first: with arrays of a few hundred KiB that is up to half of a batch's processor time.
"""

from __future__ import annotations

import ctypes

__all__ = ["keep_freed_memory"]

_TRIM, _MAP = -1, -3
"""Names of the two settings in malloc.h: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD."""
_KEPT, _BLOCK = 2**26, 2**22
"""Bytes kept for the next batch, and from which size on a block still is the system's own business."""


def keep_freed_memory() -> bool:
    """Let this process keep up to 64 MiB that it has freed; False where the C library has no such setting.

    >>> keep_freed_memory() in (True, False)
    True
    """
    try:
        setting = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(setting(_TRIM, _KEPT)) and bool(setting(_MAP, _BLOCK))
