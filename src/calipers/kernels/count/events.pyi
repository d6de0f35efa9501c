from collections.abc import Sequence

Events = Sequence[tuple[int, int]]

def most_pairs(truth: Events, pred: Events, min_frames: int) -> tuple[int, int, int]: ...
