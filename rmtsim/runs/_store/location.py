"""Where the store lives, and whether SQLite's write-ahead log works there."""

from __future__ import annotations

from pathlib import Path

from rmtsim._internal.folders import home_folder
from rmtsim.errors import StoreError

_NETWORK = {
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "cvmfs", "davfs", "gfs2", "glusterfs", "gpfs", "lustre",
    "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb2", "smb3", "smbfs", "virtiofs",
    "wekafs",
}  # fmt: skip
"""File systems that other machines may have mounted too: their shared memory is not shared with us."""


def default_path() -> Path:
    """The store in the user's data directory (``XDG_DATA_HOME``, else ``~/.local/share``)."""
    base = home_folder("XDG_DATA_HOME", ".local", "share")
    if base is None:
        raise StoreError(
            "HOME is not set and this user has no home folder, so there is no place for a store; give --store a "
            "path, or --no-store"
        )
    return base / "rmtsim" / "runs.sqlite"


def filesystem(path: Path, mounts: str | None = None) -> str:
    r"""Type of the file system ``path`` is (or would be) on; ``"unknown"`` where the system does not tell.

    ``mounts`` is the text of ``/proc/self/mountinfo``, read from there by default.

    >>> filesystem(Path("/data/x"), "21 1 0:5 / / rw - ext4 /dev/a rw\n22 21 0:6 / /data rw - nfs4 host:/x rw")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "unknown"
    target = path.expanduser().resolve()
    best: tuple[int, str] = (-1, "unknown")
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5:
            continue
        point = Path(fields[4].replace("\\040", " "))
        # Later lines of equal depth are mounted over earlier ones.
        if (point == target or point in target.parents) and len(point.parts) >= best[0]:
            best = (len(point.parts), after.split()[0])
    return best[1]


def is_network(kind: str) -> bool:
    """Whether a file system type may be shared between machines (FUSE may hide anything, so it counts)."""
    return kind in _NETWORK or kind.startswith("fuse.")
