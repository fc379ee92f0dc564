"""Tests import their shared module by its plain name, and leave the user's cache alone."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ["ARMDYN_CACHE"] = "off"
