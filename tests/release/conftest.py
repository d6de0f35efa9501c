"""What makes releases is no part of the package: it is found beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
