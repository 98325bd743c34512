# SPDX-License-Identifier: BSD-3-Clause
"""scripts/prose.py: long sentences, openings without a noun and long lines, but none of code.

Comments and docstrings, which scripts/comments.py reads, are held to the same rules.
"""

import runpy
import subprocess
import sys

import pytest

from jobs import ROOT

SCRIPT = ROOT / "scripts" / "prose.py"
sys.path.insert(0, str(SCRIPT.parent))  # as where it is run
prose = runpy.run_path(str(SCRIPT))
sys.path.remove(str(SCRIPT.parent))


def found(page):
    return [(number, fault.partition(":")[0]) for number, fault in prose["complaints"](page)]


def words(count, last="go."):
    return " ".join(["We", *["go"] * (count - 2), last])


def test_nothing_is_wrong_with_the_pages():
    said = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    files = [*prose["pages"](ROOT), *prose["sources"](ROOT)]
    assert said.stdout == f"prose: {len(files)} files, 0 faults\n"


def test_all_pages_that_are_written_by_hand_are_looked_at():
    pages = {str(page.relative_to(ROOT)) for page in prose["pages"](ROOT)}
    assert pages >= {"README.md", "DESIGN.md", "CONTRIBUTING.md", "docs/install.md"}
    assert pages >= {"src/data/README.md", "src/call/agree/README.md"}
    assert {"python/laneway/campaign/README.md", "packages/studies/README.md"} <= {*pages}
    assert "docs/algorithms.md" not in pages


def test_comments_of_all_sources_are_looked_at():
    sources = {str(path.relative_to(ROOT)) for path in prose["sources"](ROOT)}
    assert sources >= {"src/api/preload.c", "src/call/run.hpp", "include/laneway.h"}
    assert sources >= {"python/laneway/cli.py", "tests/test_prose.py", "examples/spmv.c"}


DOCSTRING = '"' * 3


@pytest.mark.parametrize(
    ("name", "source", "number"),
    [
        ("a.cpp", "int a;\n/// Of both.\nint b;", 2),
        ("a.cpp", "int a;  ///< of both\nint b;  ///< the same as before", 1),
        ("a.cpp", f"// {words(20)[:-1]}\n// and {words(8)}\n", 1),
        ("a.c", f'char* a = "// no";\n/*\n * {words(26)}\n */', 3),
        ("a.hpp", 'auto a = R"x(\n// no)x"; int b = 1\'000; // What it is', 2),
        ("a.py", f"{DOCSTRING}Of both.{DOCSTRING}", 1),
        ("a.py", f"A = 1\n{DOCSTRING}Fine.\n\n{words(26)}\n{DOCSTRING}", 4),
        ("a.py", "def f():\n    a = '# no'  # of both", 2),
    ],
)
def test_a_fault_in_a_comment_is_found(tmp_path, name, source, number):
    (tmp_path / name).write_text(source)
    found = [line for line, _ in prose["complaints"](prose["read"](tmp_path / name))]
    assert found[0] == number


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.cpp", "// SPDX-License-Identifier: BSD-3-Clause\nint a;  // NOLINT: of both"),
        ("a.cpp", 'auto a = "/* Of both. */";\nchar b = \'"\';  // Both.'),
        ("a.cpp", f"int a;  ///< {words(20)}\nint b;  ///< {words(20)}"),
        ("a.py", f"a = 'b' {DOCSTRING}{words(26)}{DOCSTRING}  # Both."),
    ],
)
def test_code_and_short_comments_are_let_pass(tmp_path, name, source):
    (tmp_path / name).write_text(source)
    assert not [*prose["complaints"](prose["read"](tmp_path / name))]


def test_a_fault_is_printed_with_its_place(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\nShort. {words(26)}\n")
    said = subprocess.run(
        [sys.executable, SCRIPT, page], capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert said.stderr == f"{page}:3: 26 words, over 25: We go go go go go ...\n"


LONG = "26 words, over 25"


@pytest.mark.parametrize(
    ("page", "number"),
    [
        (words(26), 1),
        (words(26).replace("go go", "go\ngo", 1), 1),
        (f"Short.\n{words(26)}", 2),
        (f"Short. {words(20)[:-1]}\nand {words(5)}", 1),
        (f"- {words(26)}", 1),
        (f"- Short.\n  1. {words(26)}", 2),
        (f"- Short.\n\n  {words(26)}", 3),
        (f"> {words(26)}", 1),
        (f"Short. *this* opens {words(25)[3:]}", 1),
        (f"Short. [this](a.md) opens {words(25)[3:]}", 1),
        (words(26).replace("go go", "`go go go` [go](a/b.md)", 1), 1),
        (words(25).replace("go go", "(e.g. go: go;", 1), 1),
        (f"```\n{words(30)}\n```\n{words(26)}", 4),
        (f"<!-- {words(30)}\n-->\n{words(26)}", 3),
    ],
)
def test_a_long_sentence_is_found(page, number):
    assert (number, LONG) in found(page)


@pytest.mark.parametrize(
    "page",
    [
        words(25),
        f"{words(19)} {words(19)}",
        f"{words(19)}\n{words(19)}",
        f"{words(19, 'go')}\n\n{words(19)}",
        f"- {words(19, 'go')}\n- {words(19)}",
        words(24).replace("go go", "`go go go go` [go](a b)", 1),
        f"{words(20, 'code:')}\n\n    {words(30)}",
        f"- Item:\n\n      {words(30)}",
        f"```sh\n{words(30)}\n```",
        f"| {words(30)} | {words(30)} |",
        f"# {words(30)}",
        f"<!-- {words(15)}\n{words(15)} -->",
    ],
)
def test_what_is_short_or_no_prose_is_let_pass(page):
    assert not found(page)


@pytest.mark.parametrize(
    "page",
    [
        "Of those, none is left.",
        "The same with a core for each.",
        "What is left out takes no time.",
        "That of a nonblocking call waits.",
        "So does the second.",
        "- **What** is left out takes no time.",
        "Is it so? (Of those, none is left.)",
    ],
)
def test_an_opening_without_a_noun_is_found(page):
    ((number, fault),) = prose["complaints"](page)
    assert number == 1
    assert "no noun of its own" in fault


@pytest.mark.parametrize(
    "page", ["What is left out?", "(What is it, and why?)", "So take one.", "Official pages stay."]
)
def test_questions_and_other_openings_are_let_pass(page):
    assert not found(page)


def test_a_long_line_is_found_with_its_mark():
    line = f"- {words(22)}"
    short, long = line.ljust(120, "x"), line.ljust(121, "x")
    assert found(short) == []
    assert found(f"Short.\n\n{long}") == [(3, "a line of 121 characters, over 120")]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.py", f"raise Misuse('Of {{a}} there is none: ' + 'name one of them')\n{words(30)!r}"),
        ("a.py", f"help = f'{words(12)[:-1]} {{a}} ' + '{words(14)}'"),
        ("a.py", "f(['Of both', 'there is none.', 'But here we go'])"),
        ("a.c", f'f("{words(12)[:-1]} %d "\n  "{words(14)}");'),
        ("a.cpp", '/* "of" */ f("of each collective:\\nof none there is one");'),
    ],
)
def test_a_fault_in_a_message_is_found(tmp_path, name, source):
    (tmp_path / name).write_text(source)
    assert [line for line, _ in prose["complaints_of_messages"](tmp_path / name)] == [1]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.py", f"def f():\n    {DOCSTRING}Of both there is no more to say.{DOCSTRING}"),
        ("a.py", f"names = '{words(30)[:-1]}'"),
        ("a.py", "f('of both', f'{a} of both: there is nothing to say of it')"),
        ("a.py", f"f(['{words(20)}', '{words(20)}'])"),
        ("a.cpp", 'f(a + " of both: there is nothing to say of it");'),
        ("a.cpp", '.idea = "what a node has for another one goes by lanes",'),
        ("a.cpp", '// f("of both: there is nothing to say of it")'),
    ],
)
def test_what_is_no_message_of_its_own_may_be_a_fragment(tmp_path, name, source):
    (tmp_path / name).write_text(source)
    assert [*prose["complaints_of_messages"](tmp_path / name)] == []


def test_messages_of_what_users_run_are_looked_at():
    looked_at = {
        name for name in map(str, prose["sources"](ROOT)) if prose["prints"](ROOT, ROOT / name)
    }
    ours = {str(ROOT / name) for name in ("python/laneway/cli.py", "src/choose/all_settings.cpp")}
    others = {str(ROOT / name) for name in ("tests/jobs.py", "src/algorithms/bcast/lane.cpp")}
    assert ours <= looked_at
    assert not others & looked_at
