"""Studies are scripts: their folder is on the path when they run, and so it is here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))
