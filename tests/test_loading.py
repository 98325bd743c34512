# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that a command loads: `laneway exec` comes before every job, and pays for each."""

import os
import pkgutil
import subprocess
import sys
import tomllib

import pytest

import laneway
import laneway_studies
from jobs import LIMIT, ROOT
from laneway.commands import COMMANDS

_RUFF = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
_BANNED = _RUFF["lint"]["flake8-tidy-imports"]["banned-module-level-imports"]
OURS = tuple(name for name in _BANNED if name.startswith(("laneway.", "laneway_studies.")))
"""Modules that may load slow libraries when they are imported."""
SLOW = [name for name in _BANNED if name not in OURS]

ENDING = f"""
import atexit, os, sys
def tell(*_):
    slow = {[*SLOW, "importlib.metadata", "psutil", "rich"]}
    print("loaded:", *(name for name in slow if name in sys.modules), file=sys.stderr)
    sys.stderr.flush()
atexit.register(tell)
os.execvpe = lambda *_: sys.exit(0)
from laneway.cli import main
main()
"""
"""Tells what was loaded at the end, or when `laneway exec` becomes the program."""


def loaded(*words, code=0, **environment):
    """The output of a command that ends with that exit code, and the slow libraries it loaded."""
    said = subprocess.run(
        [sys.executable, "-c", ENDING, *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=LIMIT,
        check=False,
    )
    assert said.returncode == code, said.stderr
    *_, last = said.stderr.splitlines()
    return said.stdout, last.split()[1:]


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["exec", "--", "true"],
        ["exec", "--algorithm", "bcast=lane", "--", "mpirun", "-np", "1", "true"],
        ["env", "--algorithm", "bcast=lane"],
    ],
    ids=" ".join,
)
def test_what_comes_before_a_job_loads_no_library_that_is_slow(words):
    _, slow = loaded(*words)
    assert slow == []


def test_cluster_status_loads_what_prints_and_no_more(tmp_path):
    _, slow = loaded("cluster", "status", code=1, XDG_RUNTIME_DIR=str(tmp_path))
    assert set(slow) <= {"psutil", "rich"}


@pytest.mark.parametrize(
    ("typed", "expected", "allowed"),
    [("co", "compare", set()), ("compare --al", "--algorithm", {"psutil", "rich"}),
     ("verify --mar", "--margin", {"psutil", "rich"}),
     ("campaign res", "resume", {"psutil", "rich"})],
)  # fmt: skip
def test_a_shell_completes_words_without_loading_slow_libraries(typed, expected, allowed):
    words = f"laneway {typed}"
    position = str(len(words.split()) - 1)
    said, slow = loaded(_LANEWAY_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=position)
    assert expected in said
    assert set(slow) <= allowed


def test_importing_a_module_loads_no_slow_library():
    # Modules that compute, draw or talk to the kernel load them when they do; see pyproject.toml.
    modules = [
        module.name
        for package in (laneway, laneway_studies)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.startswith((*OURS, "laneway.__main__"))
    ]
    assert len(modules) > 80
    lines = (f"import {name}\nsee('{name}')" for name in modules)
    see = f"""
import sys
def see(name):
    found = [slow for slow in {SLOW} if slow in sys.modules]
    if found:
        sys.exit(f"{{name}} loads {{', '.join(found)}}")
"""
    said = subprocess.run(
        [sys.executable, "-c", "\n".join([see, *lines])],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_of_commands_says_of_each_what_its_own_help_does(command):
    for width in (45, 88):
        assert command.get_short_help_str(width) == command.loaded().get_short_help_str(width)
    assert command.loaded().name == command.name
    assert command.get_short_help_str(200)
