"""``python -m rmtsim``."""

import sys

from rmtsim.cli import main

sys.exit(main())
