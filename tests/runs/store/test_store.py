import dataclasses
import os
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest

from rmtsim import errors
from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store import schema as store_location
from rmtsim.runs._store import schema as store_schema
from rmtsim.runs._store.report import check, lost, prune, summaries
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import LostBatch, Measured
from tests.runs.helpers import claim, digest, keys, run_all

HERE = {this_environment().numerics}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


@pytest.fixture
def filled(path):
    with Store(path) as store:
        run_all(SerialPool(), keys(), store)
    return path


def test_stored_batches_are_reused_and_equal(path):
    plain, _ = run_all(SerialPool(), keys())
    with Store(path) as store:
        first, computed = run_all(SerialPool(), keys(), store)
        second, reused = run_all(SerialPool(), keys(batches=25), store)
    assert digest(first) == digest(plain) == digest(second[: len(first)])
    assert (computed.computed, computed.reused) == (40, 0)
    assert (reused.computed, reused.reused) == (10, 40)


def test_store_is_crash_safe_by_configuration(path):
    with Store(path) as store:
        assert store.journal == "wal"
        assert store.query("PRAGMA synchronous") == [(2,)]  # FULL


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"size": 9}, {"batch": 99}, {"replicates": 65}, {"parameters": (("pause", 0.5),)}]
)
def test_every_part_of_the_key_counts(filled, change):
    with Store(filled) as store:
        stored, _ = store.get(keys()[0], HERE)
        other, passed = store.get(dataclasses.replace(keys()[0], **change), HERE)
    assert stored is not None
    assert other is None
    assert not passed.foreign


def test_results_of_another_sampler_version_are_not_mixed_in(filled):
    newer = dataclasses.replace(claim("means"), revision=2)
    wanted = [dataclasses.replace(key, claim=newer) for key in keys()]
    with Store(filled) as store:
        _, tally = run_all(SerialPool(), wanted, store)
        assert (tally.reused, tally.computed, tally.older) == (0, 40, 40)
        assert "another version of their sampler" in tally.notices()[0]
        _, again = run_all(SerialPool(), keys(), store)
    assert again.reused == 40  # both versions live side by side


def test_results_of_another_environment_are_used_only_on_request(path):
    foreign = dataclasses.replace(this_environment(), cpu="another processor")
    key = keys()[0]
    with Store(path) as store:
        store.put(key, Measured(np.full(64, 7.0), 0.1, None), foreign)
        (own,), tally = run_all(SerialPool(), [key], store)
        assert (tally.foreign, tally.reused) == (1, 0)
        assert own[0] != 7.0
        assert store.count() == 2
    assert "--any-environment" in tally.notices()[0]


def test_any_environment_reuses(path):
    foreign = dataclasses.replace(this_environment(), cpu="another processor")
    with Store(path) as store:
        store.put(keys()[0], Measured(np.full(64, 7.0), 0.1, None), foreign)
        runner = StoredRunner(SerialPool(), store, any_environment=True)
        (values,) = runner.run([keys()[0]])
    assert (values == 7.0).all()


def test_another_package_version_alone_changes_nothing(path):
    older = dataclasses.replace(this_environment(), package="0.0.1")
    with Store(path) as store:
        store.put(keys()[0], Measured(np.full(64, 7.0), 0.1, None), older)
        assert store.get(keys()[0], HERE)[0] is not None


def test_a_second_writer_with_other_bytes_is_an_error(path):
    here = this_environment()
    with Store(path) as one, Store(path) as two:
        one.put(keys()[0], Measured(np.zeros(64), 0.1, None), here)
        two.put(keys()[0], Measured(np.zeros(64), 0.2, None), here)
        with pytest.raises(errors.NotReproducibleError, match="randomness or state"):
            two.put(keys()[0], Measured(np.ones(64), 0.1, None), here)
        assert one.count() == 1


def test_corrupted_row_is_named_and_prune_heals(filled):
    with Store(filled) as store:
        row = next(store.rows("synthetic.means"))
        bad = bytearray(row.payload)
        bad[3] ^= 1
        store.execute("UPDATE batches SET payload = ? WHERE key = ?", bytes(bad), row.key)
        with pytest.raises(errors.CorruptedRowError, match=r"batch 0 at pause=0.0.*SHA-256 differs"):
            run_all(SerialPool(), keys(), store)
        assert len(list(check(store))) == 1
        assert prune(store, corrupted=True) == 1
        _, tally = run_all(SerialPool(), keys(), store)
        assert (tally.reused, tally.computed) == (39, 1)
        assert not list(check(store))


@pytest.mark.parametrize("column", ["seconds", "claim", "batch", "environment", "finished", "code"])
def test_every_column_is_under_the_hash(filled, column):
    with Store(filled) as store:
        store.execute("PRAGMA foreign_keys = OFF")
        row = next(store.rows())
        value = {"claim": "x", "code": "x"}.get(column, 12345)
        store.execute(f"UPDATE batches SET {column} = ? WHERE key = ?", value, row.key)
        assert list(check(store))


def _content(path):
    with Store(path, read_only=True) as store:
        return [dataclasses.astuple(row) for row in store.rows()]


def test_bit_flips_are_detected(filled, tmp_path):
    """Every flip either changes no stored value (unused space) or is found by the check."""
    whole = filled.read_bytes()
    before = _content(filled)
    rng = np.random.default_rng(6)
    damaged = tmp_path / "flipped.sqlite"
    found = 0
    for position in rng.integers(0, len(whole), size=200):
        data = bytearray(whole)
        data[position] ^= 1 << int(rng.integers(8))
        damaged.write_bytes(data)
        try:
            with Store(damaged, read_only=True) as store:
                problems = list(check(store))
        except errors.StoreError as error:
            problems = [str(error)]
        found += bool(problems)
        if not problems:
            assert _content(damaged) == before
    assert found > 20


def test_a_flip_in_any_payload_is_detected(filled, tmp_path):
    whole = filled.read_bytes()
    with Store(filled, read_only=True) as store:
        payloads = [row.payload for row in store.rows()]
    damaged = tmp_path / "flipped.sqlite"
    for payload in payloads[::8]:
        data = bytearray(whole)
        data[whole.index(payload[:100]) + 50] ^= 4
        damaged.write_bytes(data)
        with Store(damaged, read_only=True) as store:
            assert "SHA-256" in " ".join(check(store))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.9])
def test_truncation_is_detected(filled, tmp_path, share):
    whole = filled.read_bytes()
    cut = tmp_path / "cut.sqlite"
    cut.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises((errors.CorruptedStoreError, errors.NotAStoreError), match="cut"):
        Store(cut, read_only=True)


def test_wrong_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, certainly, but long enough to look like one " * 20)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for file in (text, other, tmp_path):
        before = file.read_bytes() if file.is_file() else None
        for read_only in (False, True):
            with pytest.raises(errors.NotAStoreError, match=file.name):
                Store(file, read_only=read_only)
        assert before is None or file.read_bytes() == before
    with pytest.raises(errors.StoreError, match="there is no store here"):
        Store(tmp_path / "absent.sqlite", read_only=True)
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    with pytest.raises(errors.NotAStoreError, match="cut short"):
        Store(empty, read_only=True)


def test_older_schemas_are_migrated_and_newer_ones_refused(filled):
    connection = sqlite3.connect(filled)
    connection.execute("DROP TABLE lost")
    connection.execute("DROP TABLE files")
    connection.execute("DROP TABLE results")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with Store(filled, read_only=True) as store:
        assert lost(store) == []
        assert summaries(store)[0].file is None
    with Store(filled) as store:
        assert store.query("PRAGMA user_version") == [(len(store_schema.MIGRATIONS),)]
        store.put_lost(LostBatch(keys()[0], 3, "SIGKILL"))
        assert lost(store)[0]["deaths"] == 3
        _, tally = run_all(SerialPool(), keys(), store)
    assert tally.reused == 40
    connection = sqlite3.connect(filled)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(errors.StoreVersionError, match="newer rmtsim"):
        Store(filled)


@pytest.mark.thorough
def test_disk_full_is_named_and_the_store_stays_readable(filled):
    with Store(filled) as store:
        pages = store.query("PRAGMA page_count")[0][0]
        store.query(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(
            errors.StoreFullError, match="disk is full; every batch acknowledged so far is kept"
        ):
            run_all(SerialPool(), keys(batches=500), store)
        kept = store.count()
        assert kept >= 40
        assert not list(check(store))
    with Store(filled) as store:
        _, tally = run_all(SerialPool(), keys(batches=500), store)
    assert tally.reused == kept


def test_read_only_store(filled):
    """On a file and in a folder nobody may write. Root may write anything, so there a child becomes nobody."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        copy = Path(place) / "runs.sqlite"
        copy.write_bytes(filled.read_bytes())
        copy.chmod(0o444)
        Path(place).chmod(0o555)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                if os.getuid() == 0:
                    os.setgid(65534)
                    os.setuid(65534)
                with Store(copy, read_only=True) as store:
                    assert store.count() == 40
                    assert not list(check(store))
                with pytest.raises(errors.ReadOnlyStoreError, match="read-only; it can still be listed"):
                    Store(copy)
                code = 0
            finally:
                os._exit(code)
        ended = os.waitpid(child, 0)[1]
        Path(place).chmod(0o755)
        assert os.waitstatus_to_exitcode(ended) == 0


def test_network_file_systems_get_a_rollback_journal(path, monkeypatch):
    monkeypatch.setattr(store_location, "filesystem", lambda path: "nfs4")
    with Store(path) as store:
        assert store.journal == "delete"
        assert store.query("PRAGMA locking_mode") == [("exclusive",)]
        first, _ = run_all(SerialPool(), keys(), store)
    with Store(path) as store:
        second, tally = run_all(SerialPool(), keys(), store)
    assert digest(first) == digest(second)
    assert tally.reused == 40
    assert not path.with_name(path.name + "-wal").exists()


def test_file_systems_are_distinguished():
    mounts = (
        "21 1 0:5 / / rw - ext4 /dev/a rw\n"
        "22 21 0:6 / /srv rw,nosuid shared:1 - nfs4 server:/srv rw\n"
        "23 22 0:7 / /srv/local rw - xfs /dev/b rw\n"
        "24 21 0:8 / /mnt/my\\040disk rw - fuse.sshfs me@host: rw"
    )
    kinds = {
        place: store_location.filesystem(Path(place), mounts)
        for place in ("/tmp/a", "/srv/me/a", "/srv/local/a", "/srvs/a", "/mnt/my disk/a")
    }
    assert kinds == {
        "/tmp/a": "ext4",
        "/srv/me/a": "nfs4",
        "/srv/local/a": "xfs",
        "/srvs/a": "ext4",
        "/mnt/my disk/a": "fuse.sshfs",
    }
    assert [store_location.is_network(kind) for kind in kinds.values()] == [False, True, False, False, True]
    assert store_location.filesystem(Path("/tmp")) != "unknown"


def test_summaries_name_the_file_of_a_users_claim(filled):
    with Store(filled) as store:
        (summary,) = summaries(store)
        assert prune(store, stale=True) == 0  # whether it is stale, only its file could tell
        store.execute("DELETE FROM files")
        (orphan,) = summaries(store)
    assert (summary.claim, summary.batches, summary.replicates) == ("synthetic.means", 40, 40 * 64)
    assert summary.sizes == (8, 700)
    assert (summary.state, Path(summary.file).name) == ("file", "synthetic_claims.py")
    assert (orphan.state, orphan.file) == ("unknown", None)
