"""Packages of Debian for tests: a missing one is a failure on a build machine, and a skipped test elsewhere."""

import pytest

from .debian import install, unable, unpack


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("CALIPERS_FONT", "require")])
def test_what_is_required_fails(variable, value, monkeypatch):
    monkeypatch.setenv("CI", "")
    monkeypatch.setenv(variable, value)
    with pytest.raises(pytest.fail.Exception, match=r"no font here \(needed: CI=true or CALIPERS_FONT=require\)"):
        unable("no font here", "CALIPERS_FONT")


def test_what_is_not_required_is_skipped(monkeypatch):
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception, match="no font here"):
        unable("no font here", "CALIPERS_FONT")


def test_without_apt_get_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(LookupError, match="installing chromium needs root and apt-get: apt-get install chromium"):
        install("chromium")
    with pytest.raises(LookupError, match="unpacking a-font needs apt-get and dpkg-deb"):
        unpack("a-font", tmp_path)
