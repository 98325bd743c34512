# SPDX-License-Identifier: BSD-3-Clause
"""scripts/names.py: public types of the Python part that share a name are found."""

import runpy
import subprocess
import sys

import pytest

from jobs import ROOT

SCRIPT = ROOT / "scripts" / "names.py"
names = runpy.run_path(str(SCRIPT))


def checked(folder, sources):
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return subprocess.run(
        [sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False
    )


def test_nothing_is_wrong_with_this_tree():
    said = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")


def test_a_planted_duplicate_is_found_and_named(tmp_path):
    said = checked(tmp_path, {"plans/one.py": "class Plan: ...\n", "other.py": "class Plan: ...\n"})
    assert said.returncode == 1
    assert said.stderr == "names: Plan names 2 types: other.py, plans/one.py\n"


@pytest.mark.parametrize(
    "other",
    [
        "Plan = dict[str, int]",
        "Plan: TypeAlias = dict[str, int]",
        "class Outer:\n    class Plan: ...",
    ],
    ids=["alias", "annotated alias", "inner class"],
)
def test_so_is_an_alias_or_an_inner_class(tmp_path, other):
    said = checked(tmp_path, {"one.py": "class Plan: ...\n", "other.py": f"{other}\n"})
    assert said.stderr == "names: Plan names 2 types: one.py, other.py\n"


@pytest.mark.parametrize(
    "text",
    [
        "class _Plan: ...",
        "def plan(): ...",
        "PLAN = 1",
        'Plan = TypeVar("Plan")',
        "def plan():\n    Plan = 1",
    ],
    ids=["private", "function", "constant", "type variable", "local"],
)
def test_what_has_no_name_elsewhere_may_share_it(tmp_path, text):
    said = checked(tmp_path, {"one.py": f"{text}\n", "other.py": f"{text}\n"})
    assert (said.returncode, said.stderr) == (0, "")
