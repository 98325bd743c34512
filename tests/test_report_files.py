# SPDX-License-Identifier: BSD-3-Clause
"""The report's files, and other files of a job: nothing that was there is touched."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from applications import well
from commands import process
from jobs import BUILDS, ROOT, run
from laneway import decisions
from laneway.decisions import origin
from laneway.decisions.files import must_be_writable
from laneway.errors import Problem

each_build = pytest.mark.parametrize("build", BUILDS)


def one_process(program, build, folder, **environment):
    """A process alone; its number is known before it starts."""
    words = ["sh", "-c", f'{environment.pop("first", ":")}; exec "$0"', program]
    return run(build, 1, words, preload=[build.preload], LANEWAY_REPORT=folder, **environment)


TRAPS = {
    "an earlier job's file": "echo earlier > {name}",
    "a link to a file": "ln -s {there}/other {name}",
    "a link to nowhere": "ln -s {there}/nothing {name}",
    "a FIFO": "mkfifo {name}",
    "a folder": "mkdir {name}",
}
"""Things that may lie where a report's file would be, each as a command."""


@each_build
@pytest.mark.parametrize("trap", TRAPS)
def test_what_lies_there_stays_as_it_is(compiled, build, tmp_path, trap):
    program = compiled(build, "application.c", with_laneway=False)
    report, there = tmp_path / "report", tmp_path / "there"
    report.mkdir()
    there.mkdir()
    (there / "other").write_text("of another")
    name = f"{report}/rank-0.$(uname -n).$$.jsonl"
    outcome = one_process(program, build, report, first=TRAPS[trap].format(name=name, there=there))
    assert well(outcome) == "right"
    (trapped,) = (path for path in report.iterdir() if "-2.jsonl" not in path.name)
    if trap == "an earlier job's file":
        assert trapped.read_text() == "earlier\n"
        trapped.unlink()
    elif not trapped.is_dir():
        trapped.unlink()
    else:
        trapped.rmdir()
    assert (there / "other").read_text() == "of another"
    assert [path.name for path in there.iterdir()] == ["other"]
    assert decisions.load(report).calls == 6


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("wanted", ["--report", "--advise"])
def test_what_lies_where_the_origin_would_be_stays_as_it_is(tmp_path, trap, wanted):
    """The job does not start: its report would say nothing of where it ran."""
    report, there = tmp_path / "report", tmp_path / "there"
    report.mkdir()
    there.mkdir()
    (there / "other").write_text("of another")
    name = report / origin.NAME
    subprocess.run(["sh", "-c", TRAPS[trap].format(name=name, there=there)], check=True)
    before = name.lstat()
    started = tmp_path / "started"
    told = process("exec", wanted, "--out", report, "--", "touch", started)
    assert told.returncode == 2
    assert told.stderr.splitlines()[-1] == (
        f"laneway: {name} is there already: name another folder with --out"
    )
    assert not started.exists()
    assert name.lstat() == before
    assert [path.name for path in report.iterdir()] == [origin.NAME]
    assert (there / "other").read_text() == "of another"
    assert [path.name for path in there.iterdir()] == ["other"]
    assert origin.load(report) == origin.JobOrigin(report)


@pytest.mark.parametrize("words", [["true"], ["no-such-program"], ["--algorithm", "no", "true"]])
def test_without_a_report_nothing_is_left_of_it(tmp_path, words):
    process("exec", "--report", "--out", tmp_path / "report", *words)
    assert list((tmp_path / "report").iterdir()) == []


@each_build
@pytest.mark.parametrize("mode", [0o755, 0o777, 0o1777])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_folder_of_another_user_is_refused(compiled, build, tmp_path, mode):
    program = compiled(build, "application.c", with_laneway=False)
    report = tmp_path / "report"
    report.mkdir()
    report.chmod(mode)
    os.chown(report, 65534, 65534)
    outcome = one_process(program, build, report)
    assert well(outcome) == "right"
    assert outcome.errors.count("belongs to another user): no report") == 1, outcome.told
    assert list(report.iterdir()) == []

    with pytest.raises(Problem, match="belongs to another user; --out FOLDER names another one"):
        must_be_writable(report)


NEW_FILE = """
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "report/new_file.h"
int main(int argc, char** argv)
{
    const char* why = NULL;
    if (setuid((uid_t)atoi(argv[1])) != 0) return 2;
    printf("%s\\n", laneway_new_file(argv[2], "name", &why) >= 0 ? "opened" : why);
    return argc - argc;
}
"""


@pytest.fixture
def open_folder():
    """A folder that other users may enter, as pytest's may not be."""
    with tempfile.TemporaryDirectory(prefix="laneway-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root to become another user")
@pytest.mark.parametrize(
    ("owner", "mode", "said"),
    [
        (1000, 0o777, "opened"),  # one's own
        (0, 0o1777, "opened"),  # as /tmp
        (0, 0o777, "everybody may take files away from the folder"),
        (0, 0o755, "Permission denied"),
        (1001, 0o777, "the folder belongs to another user"),
        (1001, 0o1777, "the folder belongs to another user"),
    ],
)
def test_whose_folders_are_written_to(open_folder, owner, mode, said):
    folder = open_folder
    (folder / "main.c").write_text(NEW_FILE)
    sources = [folder / "main.c", ROOT / "src" / "report" / "new_file.c"]
    subprocess.run(["cc", f"-I{ROOT / 'src'}", *sources, "-o", folder / "main"], check=True)
    (folder / "in").mkdir()
    (folder / "in").chmod(mode)
    os.chown(folder / "in", owner, owner)
    words = [folder / "main", "1000", folder / "in"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == f"{said}\n"


@each_build
@pytest.mark.parametrize("wanted", ["folder", "table"])
def test_children_of_a_process_with_threads_end(compiled, build, tmp_path, wanted):
    program = compiled(build, "forking.c", with_laneway=False)
    report = 1 if wanted == "table" else tmp_path
    outcome = run(build, 1, [program, 100], preload=[build.preload], LANEWAY_REPORT=report)
    assert outcome.output.splitlines()[-1] == "right", outcome.told
    if wanted == "folder":
        assert decisions.load(tmp_path).ended == 1
