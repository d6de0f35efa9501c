"""Folders of any format as rows of COCO, read alone."""

from calipers.suites.coco.formats.pieces import SHARD_BYTES, until_error
from calipers.suites.coco.formats.table import open_folder, read_shard


def read_format(name, path, known, images=None):
    """What a folder or a file holds; predictions if `known` is what the ground truth has."""
    folder = open_folder(name, path, known, images)
    return folder.converted(until_error(folder.shards(SHARD_BYTES), read_shard), known)
