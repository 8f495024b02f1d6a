"""The oldest supported versions that pyproject.toml states, as constraints for pip; with --names the names alone."""

import re
import sys
import tomllib
from pathlib import Path


def floors(text: str) -> dict[str, str]:
    r"""Lowest version of each dependency, those of the extra `testing` included.

    >>> floors('[project]\ndependencies = ["numpy>=2.0,<3"]')
    {'numpy': '2.0'}
    """
    project = tomllib.loads(text)["project"]
    wanted = [*project["dependencies"], *project.get("optional-dependencies", {}).get("testing", [])]
    found = (re.match(r"([\w.-]+)>=([\w.]+)", each) for each in wanted)
    return {match[1]: match[2] for match in found if match}


if __name__ == "__main__":
    text = Path(__file__).parent.parent.joinpath("pyproject.toml").read_text(encoding="utf-8")
    for name, version in floors(text).items():
        sys.stdout.write(f"{name}\n" if "--names" in sys.argv else f"{name}=={version}.*\n")
