"""Folders whose content is executed must belong to this user alone."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rmtsim._internal import folders

OTHER = 65534  # nobody


@pytest.fixture
def home(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(folders.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir(mode=0o1777)
    (tmp_path / "tmp").chmod(0o1777)
    return tmp_path


def test_the_cache_is_made_private_and_reused(home):
    folder = folders.private_folder("numba")
    assert folder == home / "cache" / "rmtsim" / "numba"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folders.private_folder("numba") == folder


def test_a_folder_that_others_may_write_is_not_used(home):
    (home / "cache" / "rmtsim").mkdir(parents=True)
    (home / "cache" / "rmtsim").chmod(0o777)
    used = folders.private_folder("numba")
    assert used == home / "tmp" / f"rmtsim-{os.getuid()}" / "numba"
    assert folders.is_private(used)


def test_a_planted_folder_in_the_temporary_directory_is_not_used(home, monkeypatch):
    """The name of the folder can be guessed, so another user may have made it, or a link of that name."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    guessed = home / "tmp" / f"rmtsim-{os.getuid()}"
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    guessed.symlink_to(elsewhere)
    assert not folders.is_private(guessed)
    used = folders.private_folder("numba")
    assert elsewhere not in used.resolve().parents
    assert folders.is_private(used)
    guessed.unlink()
    guessed.mkdir()
    guessed.chmod(0o777)
    assert guessed not in folders.private_folder("numba").parents


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(home, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    guessed = home / "tmp" / f"rmtsim-{os.getuid()}"
    (guessed / "numba").mkdir(parents=True, mode=0o700)
    os.chown(guessed, OTHER, OTHER)
    os.chown(guessed / "numba", OTHER, OTHER)
    assert not folders.is_private(guessed)
    assert guessed not in folders.private_folder("numba").parents


def test_a_parent_that_others_may_change_counts(home):
    open_parent = home / "open"
    open_parent.mkdir()
    open_parent.chmod(0o777)
    mine = open_parent / "mine"
    mine.mkdir(mode=0o700)
    assert not folders.is_private(mine)
    open_parent.chmod(0o1777)  # with the sticky bit only owners can replace their entries
    assert folders.is_private(mine)


def test_a_fresh_folder_is_removed_with_its_process():
    code = (
        "from rmtsim._internal.folders import fresh_folder; f = fresh_folder(); (f / 'x').touch(); print(f)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not Path(done.stdout.strip()).exists()
