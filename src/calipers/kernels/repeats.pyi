from typing import Any

from calipers.kernels.column import Column

def repeated(offsets: Any, category: Any, box: Any, score: Any) -> Column: ...
