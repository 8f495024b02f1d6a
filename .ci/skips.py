"""Skipped tests of a pytest log (option -rs) with their reasons; exit code 1 if something installable was missing.

python .ci/skips.py LOG             a Python package that is missing is a failure
python .ci/skips.py LOG --programs  a program that is missing is one, too
"""

import re
import sys
from pathlib import Path

PACKAGES = re.compile(r"could not import|No module named|needs the extra")
PROGRAMS = re.compile(r"no Chromium|no LaTeX|is not installed")


def skips(log: str, programs: bool = False) -> tuple[list[str], list[str]]:
    r"""All skips, and those for want of something that can be installed.

    >>> skips("SKIPPED [2] tests/a.py:3: could not import 'torch'\nSKIPPED [1] tests/b.py:1: no LaTeX")[1]
    ["[2] tests/a.py:3: could not import 'torch'"]
    """
    found = re.findall(r"^SKIPPED (.*)$", log, flags=re.M)
    wanted = [each for each in found if PACKAGES.search(each) or (programs and PROGRAMS.search(each))]
    return found, wanted


if __name__ == "__main__":
    every, avoidable = skips(Path(sys.argv[1]).read_text(encoding="utf-8"), "--programs" in sys.argv)
    sys.stdout.write(f"{len(every)} reasons for skipped tests\n" + "".join(f"  {each}\n" for each in every))
    if avoidable:
        sys.stdout.write(
            "skipped for want of something installable:\n" + "".join(f"  {each}\n" for each in avoidable)
        )
        sys.exit(1)
