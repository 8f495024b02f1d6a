"""Changes of data."""

import gzip
import os
import pickle

import numpy as np

from tests.runs.changes.base import (
    CODE,
    INPUT,
    REPLAY,
    Change,
    data,
    link,
    same_times,
    table,
    zipped,
)


def pickled(value):
    return pickle.dumps({"value": value})


def saved(save, value):
    def write_it(path):
        with open(path, "wb") as file:
            save(file, np.array([value, 2.0]))

    return write_it


def frame(value):
    import pandas as pd

    return lambda path: pd.DataFrame({"x": [value]}).to_pickle(path)


def matrix(value):
    import scipy.io

    return lambda path: scipy.io.savemat(path, {"x": value})


_READ = 'open(HERE / "data.txt").read()'

CHANGES = [
    *data("np.loadtxt", 'np.loadtxt(HERE / "data.txt")'),
    *data("np.genfromtxt", 'np.genfromtxt(HERE / "data.txt")'),
    *data("np.load", 'np.load(HERE / "data.npy")[0]', saved(np.save, 1.0), saved(np.save, 7.0), "data.npy"),
    *data(
        "np.load of an archive",
        'np.load(HERE / "data.npz")["arr_0"][0]',
        saved(np.savez, 1.0),
        saved(np.savez, 7.0),
        "data.npz",
    ),
    *data(
        "np.fromfile",
        'np.fromfile(HERE / "data.bin")[0]',
        np.array([1.0]).tobytes(),
        np.array([7.0]).tobytes(),
        "data.bin",
    ),
    *data("np.memmap", 'np.memmap(HERE / "data.bin", mode="r")[0]', b"\x01\x02", b"\x07\x02", "data.bin"),
    *data("open", _READ),
    *data("Path.read_text", '(HERE / "data.txt").read_text()'),
    *data("Path.read_bytes", '(HERE / "data.txt").read_bytes()'),
    *data("os.open", 'os.read(os.open(HERE / "data.txt", os.O_RDONLY), 9)'),
    *data(
        "mmap",
        'mmap.mmap(os.open(HERE / "data.txt", os.O_RDONLY), 0, prot=mmap.PROT_READ)[:]',
        top="import mmap",
    ),
    *data("io.FileIO", 'io.FileIO(HERE / "data.txt").read()', top="import io"),
    *data(
        "JSON",
        'json.load(open(HERE / "data.json"))["x"]',
        '{"x": 1.0}',
        '{"x": 7.0}',
        "data.json",
        "import json",
    ),
    *data(
        "CSV", 'next(csv.reader(open(HERE / "data.csv")))[1]', "a,1.0\n", "a,7.0\n", "data.csv", "import csv"
    ),
    *data(
        "TOML",
        'tomllib.load(open(HERE / "data.toml", "rb"))["x"]',
        "x = 1.0\n",
        "x = 7.0\n",
        "data.toml",
        "import tomllib",
    ),
    *data(
        "configparser",
        'read(HERE / "data.ini")',
        "[a]\nx = 1.0\n",
        "[a]\nx = 7.0\n",
        "data.ini",
        "import configparser\ndef read(path):\n    found = configparser.ConfigParser()\n    found.read(path)\n"
        '    return found["a"]["x"]',
    ),
    *data(
        "pickle",
        'pickle.load(open(HERE / "data.pkl", "rb"))["value"]',
        pickled(1.0),
        pickled(7.0),
        "data.pkl",
        "import pickle",
    ),
    *data(
        "gzip",
        'gzip.open(HERE / "data.gz").read()',
        gzip.compress(b"1.0"),
        gzip.compress(b"7.0"),
        "data.gz",
        "import gzip",
    ),
    *data(
        "zipfile",
        'zipfile.ZipFile(HERE / "data.zip").read("x.py")',
        zipped(x="1.0"),
        zipped(x="7.0"),
        "data.zip",
        "import zipfile",
    ),
    *data(
        "sqlite3",
        'sqlite3.connect(HERE / "data.db").execute("SELECT x FROM t").fetchone()[0]',
        table(1.0),
        table(7.0),
        "data.db",
        "import sqlite3",
    ),
    *data(
        "array.fromfile",
        'read(HERE / "data.bin")',
        np.array([1.0]).tobytes(),
        np.array([7.0]).tobytes(),
        "data.bin",
        'import array\ndef read(path):\n    found = array.array("d")\n    found.fromfile(open(path, "rb"), 1)\n'
        "    return found[0]",
    ),
    *data("linecache", 'linecache.getline(str(HERE / "data.txt"), 1)', top="import linecache")[:1],
    *data(
        "pandas.read_csv",
        'pd.read_csv(HERE / "data.csv")["x"][0]',
        "x\n1.0\n",
        "x\n7.0\n",
        "data.csv",
        "import pandas as pd",
    ),
    *data(
        "pandas.read_pickle",
        'pd.read_pickle(HERE / "data.pkl")["x"][0]',
        frame(1.0),
        frame(7.0),
        "data.pkl",
        "import pandas as pd",
    ),
    *data(
        "scipy.io.loadmat",
        'scipy.io.loadmat(HERE / "data.mat")["x"][0, 0]',
        matrix(1.0),
        matrix(7.0),
        "data.mat",
        "import scipy.io",
    ),
    *data("the same size and time", _READ, same_times("1.0\n"), same_times("7.0\n")),
    Change(
        "data kept after the first call",
        INPUT,
        "read()",
        f"KEPT = []\ndef read():\n    if not KEPT:\n        KEPT.append(float({_READ}))\n    return KEPT[0]",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "data of a helper",
        CODE,
        "helper.VALUE",
        "import helper",
        {
            "helper.py": "from pathlib import Path\nVALUE = float((Path(__file__).parent / 'data.txt').read_text())\n",
            "data.txt": "1.0",
        },
        {"data.txt": "7.0"},
    ),
    Change(
        "data of a helper's function",
        INPUT,
        "helper.f()",
        "import helper",
        {
            "helper.py": "from pathlib import Path\n"
            "def f():\n    return (Path(__file__).parent / 'data.txt').read_text()\n",
            "data.txt": "1.0",
        },
        {"data.txt": "7.0"},
    ),
    Change(
        "data read by a thread",
        INPUT,
        "read()",
        "from concurrent.futures import ThreadPoolExecutor\ndef one():\n"
        f"    return {_READ}\ndef read():\n    with ThreadPoolExecutor() as pool:\n        "
        "return pool.submit(one).result()",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "a link to data",
        INPUT,
        'open(HERE / "data.txt").read()',
        "",
        {"one": "1.0", "two": "7.0", "data.txt": link("one")},
        {"data.txt": link("two")},
    ),
    Change(
        "data behind a link",
        INPUT,
        'open(HERE / "data.txt").read()',
        "",
        {"one": "1.0", "data.txt": link("one")},
        {"one": "7.0"},
    ),
    Change(
        "data that another file names",
        INPUT,
        '(HERE / (HERE / "name").read_text()).read_text()',
        "",
        {"name": "one", "one": "1.0", "two": "7.0"},
        {"name": "two"},
    ),
    Change(
        "a file that appears",
        INPUT,
        "read()",
        f"def read():\n    try:\n        return {_READ}\n    except FileNotFoundError:\n        return 1.0",
        {},
        {"data.txt": "7.0"},
    ),
    Change(
        "a file that is removed",
        INPUT,
        "read()",
        f"def read():\n    try:\n        return {_READ}\n    except FileNotFoundError:\n        return 1.0",
        {"data.txt": "7.0"},
        {"data.txt": None},
    ),
    Change("files in a folder", INPUT, "len(os.listdir(HERE / 'many'))", "", {"many/a": ""}, {"many/b": ""}),
    Change(
        "files that match a pattern",
        INPUT,
        "len(glob.glob(str(HERE / 'many' / '*')))",
        "import glob",
        {"many/a": ""},
        {"many/b": ""},
    ),
    Change("Path.iterdir", INPUT, "len(list((HERE / 'many').iterdir()))", "", {"many/a": ""}, {"many/b": ""}),
    Change(
        "os.walk",
        INPUT,
        "sum(len(found[2]) for found in os.walk(HERE / 'many'))",
        "",
        {"many/a/x": ""},
        {"many/a/y": ""},
    ),
    Change(
        "a program's data",
        INPUT,
        "subprocess.check_output(['cat', HERE / 'data.txt'])",
        "import subprocess",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "a program",
        INPUT,
        "subprocess.check_output([sys.executable, HERE / 'program.txt'])",
        "import subprocess",
        {"program.txt": "print(1.0)"},
        {"program.txt": "print(7.0)"},
    ),
    Change(
        "a program at import",
        CODE,
        "VALUE",
        "import subprocess\nVALUE = float(subprocess.check_output([sys.executable, HERE / 'program.txt']))",
        {"program.txt": "print(1.0)"},
        {"program.txt": "print(7.0)"},
    ),
    Change(
        "what a program reads by itself",
        REPLAY,
        "subprocess.check_output(['sh', '-c', 'cat data.tx*'], cwd=HERE)",
        "import subprocess",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "declared data",
        CODE,
        "read()",
        "import ctypes\ndef read():\n    return c_read(HERE / 'data.txt')\nfrom c_reader import c_read",
        {"data.txt": "1.0", "c_reader.py": None},
        {"data.txt": "7.0"},
        options=', data=["data.txt"]',
    ),
    Change(
        "data that compiled code reads",
        INPUT,
        "c_read(HERE / 'data.txt')",
        "from c_reader import c_read",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "data that compiled code reads at the largest size",
        INPUT,
        "(c_read(HERE / 'data.txt') if size == 16 else 0.0)",
        "from c_reader import c_read",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "data that compiled code reads at import",
        CODE,
        "VALUE",
        "from c_reader import c_read\nVALUE = c_read(HERE / 'data.txt')",
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
    ),
    Change(
        "declared folder",
        CODE,
        "c_read(HERE / 'many' / 'a')",
        "from c_reader import c_read",
        {"many/a": "1.0"},
        {"many/a": "7.0"},
        options=', data=["many"]',
    ),
    Change(
        "the size of a file",
        INPUT,
        "os.path.getsize(HERE / 'data.txt')",
        "",
        {"data.txt": "1"},
        {"data.txt": "123"},
    ),
    Change(
        "the time of a file",
        REPLAY,
        "os.path.getmtime(HERE / 'data.txt') % 1000",
        "",
        {"data.txt": "1"},
        {},
        lambda folder, patch, module: os.utime(folder / "data.txt", (5, 5)),
    ),
    Change("whether a file exists", REPLAY, "os.path.exists(HERE / 'data.txt')", "", {}, {"data.txt": ""}),
]
