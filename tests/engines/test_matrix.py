"""Every suite on clusters: the digest of one process."""

import pytest

from ..contracts.suites import SUITES, digest, make_inputs
from ..profiles import combined


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize(
    ("place", "suite", "chunk_bytes"), combined(["dask", "ray"], SUITES, [2_000, 60_000]), indirect=["place"]
)
def test_the_digest_is_that_of_one_process(place, suite, chunk_bytes, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    measure = SUITES[suite]
    assert digest(measure(**place, chunk_bytes=chunk_bytes)) == digest(measure(jobs=1))
