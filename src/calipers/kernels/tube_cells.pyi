from calipers.core.shapes import Objects

class Tubes:
    def __init__(self, objects: Objects, stroke_width: int) -> None: ...
