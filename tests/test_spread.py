"""How processes share tests: whatever a file holds is run and told of, also where it is loaded when it is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = {
    "pytest.ini": "[pytest]\naddopts = -q --doctest-modules --import-mode=importlib\n",
    "test_three.py": "import pytest\n@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_three(x):\n    assert x < 3\n",
    "test_broken.py": "import no_such_module\n",
    "test_skipped.py": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
    "test_empty.py": "",
    "deep/test_one.py": 'def test_one():\n    """\n    >>> 1 + 1\n    2\n    """\n',
    "deep/test_empty.py": "",
    "engines/test_a.py": "SEEN = []\ndef test_ray():\n    SEEN.append(1)\ndef test_first():\n    assert not SEEN\n",
    "engines/test_b.py": "def test_b():\n    pass\n",
}


def test_every_test_of_every_file_is_run_and_told_of(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "2", "-p", "tests.spread", "-p", "no:cacheprovider"]
    for style in ("classic", "progress"):  # files when they are run, and all of them beforehand
        options = ["-o", f"console_output_style={style}", "--continue-on-collection-errors"]
        done = subprocess.run(
            [*command, *options],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # none of others
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1, done.stdout + done.stderr
        assert re.search(r"^1 failed, 7 passed, 1 skipped, 1 error in ", done.stdout, re.MULTILINE), done.stdout
        assert "FAILED test_three.py::test_three[3] - assert 3 < 3" in done.stdout
        assert "ERROR test_broken.py - ImportError" in done.stdout
