"""Changes of data that other readers, programs, libraries and folders bring in."""

import bz2
import contextlib
import lzma
import os
import socketserver
import tarfile
import threading

import numpy as np

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change, link, zipped

_ONE, _SEVEN = {"data.txt": "1.0"}, {"data.txt": "7.0"}
_PATH = "HERE / 'data.txt'"


def _data(name, noticed, value, top="", file="data.txt", before="1.0", after="7.0", **more):
    return Change(name, noticed, value, top, {file: before}, {file: after}, **more)


def _array(value):
    return lambda path: np.save(path, np.array([value, 2.0]))


def _tar(text):
    def write_it(path):
        member = path.with_name("x.txt")
        member.write_text(text)
        with tarfile.open(path, "w") as archive:
            archive.add(member, "x.txt")
        member.unlink()

    return write_it


def _sparse(value):
    import scipy.sparse

    return lambda path: scipy.sparse.save_npz(path, scipy.sparse.csr_array([[value]]))


def _weights(value):
    def write_it(path):
        import torch

        torch.save({"w": torch.tensor([value])}, path)

    return write_it


def _market(value):
    return f"%%MatrixMarket matrix array real general\n1 1\n{value}\n"


def _replaced(text):
    """Another file under the same name, as editors write it."""

    def write_it(path):
        other = path.with_name("new")
        other.write_text(text)
        os.replace(other, path)

    return write_it


class _Server:
    """Answers every connection with a number."""

    def __init__(self):
        self.answer = b"1.0"
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.sendall(outer.answer)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.port = self._server.server_address[1]


_SERVERS = {}


def _served(path):
    server = _SERVERS.setdefault(str(path), _Server())
    path.write_text(str(server.port))


def _answers_otherwise(folder, patch, module):
    _SERVERS[str(folder / "port")].answer = b"7.0"


_ASK = """
import socket
def read():
    with socket.create_connection(("127.0.0.1", int((HERE / "port").read_text()))) as connection:
        return connection.recv(9)
"""
_CHILD = """
def read():
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, (HERE / "data.txt").read_bytes())
        os._exit(0)
    os.waitpid(child, 0)
    found = os.read(out, 9)
    os.close(out), os.close(into)
    return found
"""
_COPIED = """
import shutil, tempfile
def read():
    with tempfile.TemporaryDirectory() as other:
        return Path(shutil.copyfile(HERE / "data.txt", Path(other) / "copy")).read_text()
"""
_SENT = """
def read():
    out, into = os.pipe()
    file = os.open(HERE / "data.txt", os.O_RDONLY)
    os.sendfile(into, file, 0, 9)
    os.close(file), os.close(into)
    found = os.read(out, 9)
    os.close(out)
    return found
"""
_LATER = """
import asyncio
async def later():
    return (HERE / "data.txt").read_text()
"""
_LATER_IN_A_THREAD = """
import asyncio
async def later():
    return await asyncio.to_thread((HERE / "data.txt").read_text)
"""
_FOUND = """
import importlib.abc, importlib.util
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "made_up" else None
    def exec_module(self, module):
        exec((HERE / "data.txt").read_text(), vars(module))
sys.meta_path.append(Finder())
try:
    import made_up
finally:
    sys.meta_path.pop()
    sys.modules.pop("made_up", None)
"""
_BY_PTH = """
import site
before = list(sys.path)
site.addsitedir(str(HERE / "places"))
import from_pth
sys.path[:] = before
"""
_SHELVE = """
import dbm.dumb
def read():
    with dbm.dumb.open(str(HERE / "data"), "r") as base:
        return base["x"]
"""
_IMPORTED_IN_THE_SAMPLER = """
sys.path.insert(0, str(HERE / "code.zip"))
try:
    import inside_the_archive as found
finally:
    sys.path.remove(str(HERE / "code.zip"))
return rng.normal() + found.VALUE
"""
_DEAR = ", cost=lambda size: 1e-6 * size**6"


def _base(value):
    def write_it(path):
        import dbm.dumb

        with dbm.dumb.open(str(path.with_suffix("")), "n") as base:
            base["x"] = value

    return write_it


def _in_memory(path):
    """A file in the folder of shared memory, which is kept no longer than the test."""
    path.symlink_to("/dev/shm/" + path.parent.name[:60] + "_rmtsim_test")
    with contextlib.suppress(OSError):
        os.remove(os.readlink(path))
    with open(os.readlink(path), "w") as file:
        file.write("1.0")


def _in_memory_later(folder, patch, module):
    with open(os.readlink(folder / "there"), "w") as file:
        file.write("7.0")


CHANGES = [
    _data(
        "np.load with a map",
        INPUT,
        "np.load(HERE / 'd.npy', mmap_mode='r')[0]",
        "",
        "d.npy",
        _array(1.0),
        _array(7.0),
    ),
    _data(
        "open_memmap",
        INPUT,
        "np.lib.format.open_memmap(HERE / 'd.npy', mode='r')[0]",
        "",
        "d.npy",
        _array(1.0),
        _array(7.0),
    ),
    _data(
        "a map that is kept",
        CODE,
        "VALUE[0]",
        "VALUE = np.load(HERE / 'd.npy', mmap_mode='r')",
        "d.npy",
        _array(1.0),
        _array(7.0),
    ),
    _data(
        "zipfile.Path",
        INPUT,
        "zipfile.Path(HERE / 'd.zip', 'x.py').read_text()",
        "import zipfile",
        "d.zip",
        zipped(x="1.0"),
        zipped(x="7.0"),
    ),
    _data(
        "tarfile",
        INPUT,
        "tarfile.open(HERE / 'd.tar').extractfile('x.txt').read()",
        "import tarfile",
        "d.tar",
        _tar("1.0"),
        _tar("7.0"),
    ),
    _data(
        "bz2",
        INPUT,
        "bz2.open(HERE / 'd.bz2').read()",
        "import bz2",
        "d.bz2",
        bz2.compress(b"1.0"),
        bz2.compress(b"7.0"),
    ),
    _data(
        "lzma",
        INPUT,
        "lzma.open(HERE / 'd.xz').read()",
        "import lzma",
        "d.xz",
        lzma.compress(b"1.0"),
        lzma.compress(b"7.0"),
    ),
    _data("dbm.dumb", INPUT, "read()", _SHELVE, "data.dat", _base("1.0"), _base("7.0")),
    _data("io.open_code", INPUT, f"io.open_code(str({_PATH})).read()", "import io"),
    _data(
        "codecs.StreamReader",
        INPUT,
        f"codecs.getreader('utf-8')(open({_PATH}, 'rb')).read()",
        "import codecs",
    ),
    _data(
        "fileinput",
        INPUT,
        f"next(fileinput.input([{_PATH}])) if not fileinput.close() else 0",
        "import fileinput",
    ),
    _data("os.pread", INPUT, f"os.pread(os.open({_PATH}, os.O_RDONLY), 9, 0)"),
    _data("a copy of a file", INPUT, "read()", _COPIED),
    _data("os.sendfile", INPUT, "read()", _SENT),
    _data(
        "XML",
        INPUT,
        "ET.parse(HERE / 'd.xml').getroot().text",
        "import xml.etree.ElementTree as ET",
        "d.xml",
        "<a>1.0</a>",
        "<a>7.0</a>",
    ),
    _data(
        "YAML",
        INPUT,
        "yaml.safe_load(open(HERE / 'd.yaml'))['x']",
        "import yaml",
        "d.yaml",
        "x: 1.0",
        "x: 7.0",
    ),
    _data(
        "np.fromregex",
        INPUT,
        f"np.fromregex({_PATH}, r'x(\\d)', [('x', float)])['x'][0]",
        "",
        before="x1",
        after="x7",
    ),
    _data(
        "a sparse matrix",
        INPUT,
        "scipy.sparse.load_npz(HERE / 'd.npz').toarray()[0, 0]",
        "import scipy.sparse",
        "d.npz",
        _sparse(1.0),
        _sparse(7.0),
    ),
    _data(
        "scipy.io.mmread",
        INPUT,
        "np.asarray(scipy.io.mmread(HERE / 'd.mtx'))[0, 0]",
        "import scipy.io",
        "d.mtx",
        _market(1.0),
        _market(7.0),
    ),
    _data(
        "weights of torch",
        INPUT,
        "torch.load(HERE / 'd.pt')['w'][0]",
        "import torch",
        "d.pt",
        _weights(1.0),
        _weights(7.0),
    ),
    _data(
        "weights of torch, at import",
        CODE,
        "VALUE['w'][0]",
        "import torch\nVALUE = torch.load(HERE / 'd.pt')",
        "d.pt",
        _weights(1.0),
        _weights(7.0),
    ),
    _data("asyncio", INPUT, "asyncio.run(later())", _LATER),
    _data("asyncio.to_thread", INPUT, "asyncio.run(later())", _LATER_IN_A_THREAD),
    _data("a file replaced by another", INPUT, f"open({_PATH}).read()", after=_replaced("7.0")),
    _data(
        "standard input of a program",
        INPUT,
        f"subprocess.run(['cat'], stdin=open({_PATH}), capture_output=True).stdout",
        "import subprocess",
    ),
    _data(
        "a command of the shell",
        INPUT,
        f"subprocess.run('cat ' + str({_PATH}), shell=True, capture_output=True).stdout",
        "import subprocess",
    ),
    _data(
        "a module that a program runs",
        REPLAY,
        "subprocess.run([sys.executable, '-m', 'said'], cwd=HERE, capture_output=True).stdout",
        "import subprocess",
        "said.py",
        "print(1.0)",
        "print(7.0)",
    ),
    _data("a child process", INPUT, "read()", _CHILD),
    Change(
        "resources of a package",
        INPUT,
        "importlib.resources.files('parts').joinpath('data.txt').read_text()",
        "import importlib.resources, parts",
        {"parts/__init__.py": "", "parts/data.txt": "1.0"},
        {"parts/data.txt": "7.0"},
    ),
    Change(
        "pkgutil.get_data",
        INPUT,
        "pkgutil.get_data('parts', 'data.txt')",
        "import pkgutil, parts",
        {"parts/__init__.py": "", "parts/data.txt": "1.0"},
        {"parts/data.txt": "7.0"},
    ),
    _data("a loader of its own", CODE, "made_up.VALUE", _FOUND, before="VALUE = 1.0", after="VALUE = 7.0"),
    Change(
        "a link to a folder",
        INPUT,
        "(HERE / 'now' / 'x').read_text()",
        "",
        {"one/x": "1.0", "two/x": "7.0", "now": link("one")},
        {"now": link("two")},
    ),
    Change(
        "a relative path",
        REPLAY,
        "open('data.txt').read() if os.path.exists('data.txt') else 1.0",
        "",
        {"other/data.txt": "7.0"},
        {},
        lambda folder, patch, module: patch.chdir(folder / "other"),
    ),
    Change(
        "the working directory, at import",
        CODE,
        "VALUE",
        "VALUE = len(os.getcwd())",
        action=lambda folder, patch, module: patch.chdir("/"),
    ),
    Change(
        "a file of the home folder",
        INPUT,
        "float((Path.home() / 'x').read_text()) if (Path.home() / 'x').exists() else 1.0",
        "",
        {"home/x": "7.0"},
        {},
        lambda folder, patch, module: patch.setenv("HOME", str(folder / "home")),
    ),
    Change(
        "a folder that is searched deeply",
        INPUT,
        "len(list((HERE / 'many').rglob('*.x')))",
        "",
        {"many/a/b/one.x": ""},
        {"many/a/b/two.x": ""},
    ),
    Change(
        "os.fwalk",
        REPLAY,
        "sum(len(found[2]) for found in os.fwalk(HERE / 'many'))",
        "",
        {"many/x": ""},
        {"many/y": ""},
    ),
    Change(
        "the number of links",
        REPLAY,
        "os.stat(HERE / 'data.txt').st_nlink",
        "",
        _ONE,
        {},
        lambda folder, patch, module: os.link(folder / "data.txt", folder / "second"),
    ),
    Change(
        "the mode of a file",
        REPLAY,
        "os.stat(HERE / 'data.txt').st_mode % 512",
        "",
        _ONE,
        {},
        lambda folder, patch, module: os.chmod(folder / "data.txt", 0o600),
    ),
    Change(
        "distributions in a folder",
        INPUT,
        "len(list(importlib.metadata.distributions(path=[str(HERE / 'lib')])))",
        "import importlib.metadata",
        {"lib/a-1.0.dist-info/METADATA": "Name: a\nVersion: 1.0"},
        {"lib/b-1.0.dist-info/METADATA": "Name: b\nVersion: 1.0"},
    ),
    Change("what a server answers", REPLAY, "read()", _ASK, {"port": _served}, {}, _answers_otherwise),
    Change(
        "a file in shared memory",
        INPUT,
        "open(os.readlink(HERE / 'there')).read()",
        "",
        {"there": _in_memory},
        {},
        _in_memory_later,
    ),
    Change(
        "a path file",
        CODE,
        "from_pth.VALUE",
        _BY_PTH,
        {"one/from_pth.py": "VALUE = 1.0", "two/from_pth.py": "VALUE = 7.0", "places/x.pth": "../one"},
        {"places/x.pth": "../two"},
    ),
    _data(
        "a module of an archive, in the sampler",
        INPUT,
        _IMPORTED_IN_THE_SAMPLER,
        "",
        "code.zip",
        zipped(inside_the_archive="VALUE = 1.0\n"),
        zipped(inside_the_archive="VALUE = 7.0\n"),
    ),
    Change(
        "a part of a namespace package that comes first",
        CODE,
        "parted.inner.VALUE",
        "sys.path[:0] = [str(HERE / 'first'), str(HERE / 'second')]\nimport parted.inner\ndel sys.path[:2]",
        {"second/parted/inner.py": "VALUE = 1.0", "first/parted/other.py": ""},
        {"first/parted/inner.py": "VALUE = 7.0"},
    ),
    Change(
        "a file at half of the draws",
        INPUT,
        "(open(HERE / 'data.txt').read() if rng.random() < 0.5 else 0.0)",
        "",
        _ONE,
        _SEVEN,
        partly=True,
    ),
    Change(
        "data of compiled code at half of the draws",
        INPUT,
        "(c_read(HERE / 'data.txt') if rng.random() < 0.5 else 0.0)",
        "from c_reader import c_read",
        _ONE,
        _SEVEN,
    ),
    Change(
        "data of compiled code at a size that costs much",
        INPUT,
        "(c_read(HERE / 'data.txt') if size == 16 else 0.0)",
        "from c_reader import c_read",
        _ONE,
        _SEVEN,
        options=_DEAR,
    ),
    Change(
        "a variable at the largest size",
        INPUT,
        "(os.environ['RMTSIM_TEST_VALUE'] if size == 16 else 0.0)",
        "",
        action=lambda folder, patch, module: patch.setenv("RMTSIM_TEST_VALUE", "7.0"),
        partly=True,
    ),
    Change(
        "the names of variables",
        REPLAY,
        "sum(name.startswith('RMTSIM_TEST_') for name in os.environ)",
        "",
        action=lambda folder, patch, module: patch.setenv("RMTSIM_TEST_OTHER", "7.0"),
    ),
    Change(
        "the number of variables",
        REPLAY,
        "len(os.environ)",
        "",
        action=lambda folder, patch, module: patch.setenv("RMTSIM_TEST_OTHER", "7.0"),
    ),
    Change(
        "the folder of temporary files",
        INPUT,
        "len(tempfile._candidate_tempdir_list()[0])",
        "import tempfile",
        action=lambda folder, patch, module: patch.setenv("TMPDIR", "/nowhere/that/is"),
    ),
    Change(
        "the time zone",
        REPLAY,
        "time.tzset() or time.localtime(0).tm_hour",
        "import time",
        action=lambda folder, patch, module: patch.setenv("TZ", "XXX-7"),
    ),
    Change(
        "the locale",
        REPLAY,
        "len(locale.setlocale(locale.LC_MESSAGES, ''))",
        "import locale",
        action=lambda folder, patch, module: patch.setenv(
            "LC_ALL",
            "C.UTF-8" if os.environ.get("LC_ALL", os.environ.get("LANG", "C")) in ("C", "POSIX", "") else "C",
        ),
    ),
]
