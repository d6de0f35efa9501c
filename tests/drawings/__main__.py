"""Write all drawings to docs/images: `python -m tests.drawings`."""

from .all_drawings import IMAGES, svgs

if __name__ == "__main__":
    for name, text in svgs():
        (IMAGES / name).write_text(text, encoding="utf-8")
        print(name)
