MAX_WORK: int
SMALL: int
LARGE: int

class WorkLimitError(Exception):
    records: list[int]
    max_work: int
    def __init__(self, records: list[int], max_work: int) -> None: ...

class Work:
    records: list[int]
    def __init__(self, max_work: int) -> None: ...

class Candidates:
    def __init__(self) -> None: ...
