"""What is kept between processes about the package's sources: the same digests, and never those of another text."""

import json
import shutil
from pathlib import Path

import pytest

from rmtsim.claims import find
from rmtsim.runs._identity import code_version as identity
from rmtsim.runs._identity import recalled, roots, source_files

CLAIMS = ("dong.thm1.diagonal", "wu.thm4.2.overlap")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty place to keep things, and a process that remembers nothing."""
    monkeypatch.setattr(recalled, "private_folder", lambda *names: tmp_path)
    monkeypatch.setattr(recalled.atexit, "register", lambda function: None)
    asked: set[str] = set()  # other tests have asked about modules of their own
    monkeypatch.setattr(source_files, "FOREIGN", asked)
    monkeypatch.setattr(recalled, "FOREIGN", asked)
    forget(monkeypatch)
    yield tmp_path
    recalled._Memory.of_this_process.cache_clear()


def forget(monkeypatch):
    monkeypatch.setattr(identity, "_CACHE", {})
    recalled._Memory.of_this_process.cache_clear()


def versions():
    return [identity.code_version(find(name)) for name in CLAIMS]


def test_recalled_versions_are_those_that_were_followed(monkeypatch, folder):
    followed = versions()
    recalled._Memory.of_this_process()._write()
    assert len(list(folder.iterdir())) == 1
    forget(monkeypatch)
    monkeypatch.setattr(roots, "Reach", None)  # nobody may follow anything now
    assert versions() == followed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"foreign": {}, "entries": {"x": 1}}',
        '{"foreign": {}, "entries": {"x": [{"rmtsim": 1}, []]}}',
        '{"foreign": {}, "entries": {"x": [{}, "numpy"]}}',
        '{"foreign": {"os.path": true}, "entries": {}}',
        '{"foreign": {"": false}, "entries": {}}',
        '{"foreign": [], "entries": []}',
    ],
)
def test_damaged_files_cost_reading_the_sources(monkeypatch, folder, text):
    followed = versions()
    memory = recalled._Memory.of_this_process()
    memory._path.write_text(text, encoding="utf-8")
    assert recalled._read(memory._path) == {}
    forget(monkeypatch)
    assert versions() == followed


def test_bytes_that_are_no_text(folder):
    (folder / "x.json").write_bytes(b"\xff\xfe\x00")
    assert recalled._read(folder / "x.json") == {}


def test_packages_that_came_or_went_make_entries_useless(folder):
    path = folder / "x.json"
    for foreign, wanted in (({"numpy": True, "not_there_at_all": False}, 1), ({"numpy": False}, 0)):
        contents = {"foreign": foreign, "entries": {"key": [{"rmtsim._internal.streams": "0"}, ["numpy"]]}}
        path.write_text(json.dumps(contents), encoding="utf-8")
        assert len(recalled._read(path)) == wanted
    path.write_text(json.dumps(contents | {"foreign": {"not_there_at_all": True}}), encoding="utf-8")
    assert recalled._read(path) == {}


def test_a_changed_file_of_the_package_is_another_digest(monkeypatch, tmp_path):
    shutil.copytree(Path(recalled._FOLDER) / "runs", tmp_path / "runs")
    monkeypatch.setattr(recalled, "_FOLDER", tmp_path)
    before = recalled._package_digest()
    assert recalled._package_digest() == before
    changed = tmp_path / "runs" / "_work.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "#", encoding="utf-8")
    assert recalled._package_digest() not in (None, before)


def test_sources_that_are_no_files_have_no_digest(monkeypatch, tmp_path):
    monkeypatch.setattr(recalled, "_FOLDER", tmp_path / "package.zip")
    assert recalled._package_digest() is None


def test_a_package_edited_meanwhile_is_not_written(monkeypatch, folder):
    versions()
    monkeypatch.setattr(recalled, "_package_digest", lambda: "another")
    recalled._Memory.of_this_process()._write()
    assert not list(folder.iterdir())


def test_a_process_that_met_modules_of_the_user_writes_nothing(monkeypatch, folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("modules")
    (elsewhere / "a_module_of_mine.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.syspath_prepend(elsewhere)
    versions()
    assert source_files.is_ours("a_module_of_mine")
    recalled._Memory.of_this_process()._write()
    assert not list(folder.iterdir())


def test_what_a_user_wrote_is_followed_each_time(tmp_path):
    inside = str(Path(recalled._FOLDER) / "_internal" / "streams.py")
    assert (
        recalled._key([("function", "rmtsim._internal.streams", inside, "1"), ("package", "numpy")])
        is not None
    )
    assert recalled._key([("named", "my_claims", "sampler")]) is None
    assert (
        recalled._key([("function", "rmtsim._internal.streams", str(tmp_path / "streams.py"), "1")]) is None
    )
    assert recalled._key([("function", "__main__", inside, "1")]) is None


def test_processes_that_end_together_keep_what_both_found(folder):
    first, second = recalled._Memory(), recalled._Memory()
    first.add("a", ({"rmtsim._internal.streams": "0"}, []))
    second.add("b", ({"rmtsim._internal.streams": "0"}, []))
    first._write()
    second._write()
    assert set(recalled._read(first._path)) == {"a", "b"}


def test_only_the_last_few_versions_of_the_package_are_kept(folder):
    for number in range(12):
        (folder / f"{number}.json").write_text("{}", encoding="utf-8")
    memory = recalled._Memory()
    memory.add("a", ({}, []))
    memory._write()
    assert len(list(folder.iterdir())) == recalled._KEPT_FILES
    assert memory._path.exists()
