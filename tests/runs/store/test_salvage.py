"""What a damaged store still holds is found, page by page; what is missing is named."""

import random
import shutil
import sqlite3

import pytest

from rmtsim import errors
from rmtsim.cli import main
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._store.pages import Pages
from rmtsim.runs._store.report import check
from rmtsim.runs._store.salvage import salvage
from rmtsim.runs._store.store import Store
from tests.runs.helpers import keys, run_all

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Small rows, and some of 7 kB that go on in overflow pages."""
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    with Store(path) as store:
        long = keys(batches=30, sizes=(8,), replicates=900, seed=3)
        run_all(SerialPool(), keys(batches=250, sizes=(8, 9)) + long, store)
    return path


def readable(whole, bad):
    """Keys of batches whose leaf and overflow pages are all outside ``bad``: found with SQLite's own page map."""
    return {record[0] for record in _records_outside(whole, bad) if len(record) == 15}


def named(whole, bad):
    """Keys of batches that are readable or stand in the index outside ``bad``: each must be copied or named."""
    return readable(whole, bad) | {record[5] for record in _records_outside(whole, bad) if len(record) == 7}


def _records_outside(whole, bad):
    pages = Pages(whole)
    return [
        record
        for number in range(1, pages.count + 1)
        if number not in bad
        for page in pages.versions(number)
        for record in _records_avoiding(pages, page, 100 if number == 1 else 0, bad)
    ]


def _records_avoiding(pages, page, start, bad):
    class Holed(Pages):
        def __init__(self):
            self.__dict__ = pages.__dict__

        def versions(self, number):
            return [] if number in bad else pages.versions(number)

    return Holed()._records(page, start)


def zeroed(whole, path, bad):
    data = bytearray(whole.read_bytes())
    for number in bad:
        data[(number - 1) * PAGE : number * PAGE] = bytes(PAGE)
    path.write_bytes(data)
    return path


def saved_keys(path, target):
    with Store(target) as sound:
        found = salvage(path, sound)
        assert not list(check(sound))
        keys = {row.key for row in sound.rows()}
        assert len(keys) == found.copied
    return keys, found


@pytest.mark.thorough
def test_a_sound_store_is_copied_whole(whole, tmp_path):
    keys, found = saved_keys(whole, tmp_path / "new.sqlite")
    assert (len(keys), found.missing, found.much_is_missing) == (530, (), False)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_zeroed_pages_lose_only_their_own_rows(whole, tmp_path, seed):
    """Two of 4258 pages must not make the batches on other pages unreadable."""
    count = whole.stat().st_size // PAGE
    bad = set(random.Random(seed).sample(range(1, count + 1), 2))
    keys, found = saved_keys(zeroed(whole, tmp_path / "bad.sqlite", bad), tmp_path / "new.sqlite")
    assert keys >= readable(whole, bad)
    assert found.copied + len(found.missing) >= len(named(whole, bad)) >= 500
    assert found.copied >= 500


@pytest.mark.thorough
def test_every_interior_page_may_be_lost(whole, tmp_path):
    pages = Pages(whole)
    bad = {number for number in range(1, pages.count + 1) if pages.versions(number)[0][0] in (2, 5)}
    assert bad
    keys, _ = saved_keys(zeroed(whole, tmp_path / "bad.sqlite", bad), tmp_path / "new.sqlite")
    # Rows stored in interior pages go with them; all others stay.
    assert keys >= readable(whole, bad)
    assert len(keys) > 400


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_store_cut_short_keeps_what_is_before_the_cut(whole, tmp_path, share):
    cut = tmp_path / "cut.sqlite"
    data = whole.read_bytes()
    cut.write_bytes(data[: int(share * len(data))])
    keys, found = saved_keys(cut, tmp_path / "new.sqlite")
    assert 0.5 * share * 530 < len(keys) < 530
    assert found.much_is_missing


def test_batches_in_the_log_are_found(tmp_path):
    live = tmp_path / "live.sqlite"
    copy = tmp_path / "copy.sqlite"
    with Store(live) as store:
        run_all(SerialPool(), keys(batches=40), store)
        for ending in ("", "-wal"):
            shutil.copy(f"{live}{ending}", f"{copy}{ending}")
    assert copy.with_name("copy.sqlite-wal").stat().st_size > 0
    keys_found, _ = saved_keys(copy, tmp_path / "new.sqlite")
    assert len(keys_found) == 80


def test_the_command_says_what_is_missing_and_fails_when_much_is(whole, tmp_path, capsys):
    bad = zeroed(whole, tmp_path / "bad.sqlite", set(range(10, 60)))
    assert main(["runs", "salvage", str(tmp_path / "new.sqlite"), "--store", str(bad)]) == 1
    told = capsys.readouterr()
    assert "missing: synthetic.means, size" in told.out
    assert "much of it cannot be read" in told.err
    text = tmp_path / "text.txt"
    text.write_text("no store " * 1000)
    assert main(["runs", "salvage", str(tmp_path / "newer.sqlite"), "--store", str(text)]) == 1
    assert "no batch found" in capsys.readouterr().err
    assert main(["runs", "salvage", str(tmp_path / "x.sqlite"), "--store", str(tmp_path / "absent")]) == 2


def test_rows_and_environments_damaged_one_by_one_are_pruned_and_the_store_is_sound(whole, tmp_path, capsys):
    """`prune --corrupted` also removes damaged environments and rows without one."""
    path = tmp_path / "runs.sqlite"
    shutil.copy(whole, path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    names = [key for (key,) in connection.execute("SELECT key FROM batches LIMIT 6")]
    connection.execute("UPDATE batches SET payload = x'00' WHERE key = ?", (names[0],))
    connection.execute("UPDATE batches SET environment = 99 WHERE key = ?", (names[1],))
    connection.execute("UPDATE batches SET seconds = 'long' WHERE key = ?", (names[2],))
    connection.execute("UPDATE batches SET parameters = '{' WHERE key = ?", (names[3],))
    connection.execute("UPDATE environments SET numerics = 'x'")
    connection.execute("INSERT INTO environments (description, numerics) VALUES ('not json', 'y')")
    connection.close()
    for words in (["runs"], ["runs", "show", "synthetic.means"], ["runs", "cost"], ["runs", "export"]):
        assert main([*words, "--store", str(path)]) in (0, 1, 2)
    capsys.readouterr()
    with Store(path, read_only=True) as store:
        assert list(check(store))
    assert main(["runs", "prune", "--corrupted", "--store", str(path)]) == 0
    assert "4 batches removed" in capsys.readouterr().out
    with Store(path) as store:
        assert not list(check(store))
        _, tally = run_all(SerialPool(), keys(batches=250, sizes=(8, 9)), store)
    assert tally.computed <= 4


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER mine AFTER INSERT ON batches BEGIN DELETE FROM batches; END",
        "CREATE VIEW mine AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
    ],
)
def test_a_store_with_code_in_it_is_refused(whole, tmp_path, statement):
    path = tmp_path / "runs.sqlite"
    shutil.copy(whole, path)
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    for read_only in (True, False):
        with pytest.raises(errors.NotAStoreError, match="mine"):
            Store(path, read_only=read_only)
