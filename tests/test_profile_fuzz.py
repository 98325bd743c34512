# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of random lines: each is understood as a second reader does, or named as wrong."""

import json
import subprocess

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs import LIMIT
from laneway.libraries import native, registry
from profile_reader import NonsenseError, Reader
from profiles import FIRST

if not native.installed():
    pytest.skip("no native build is installed", allow_module_level=True)

DRAW, FULL_DRAW = 40, 500


def collectives():
    """Tunables by collective and algorithm."""
    found = {}
    for entry in registry.load(native.installed()[0]):
        tunables = {each.name: vars(each) for each in entry.tunables}
        found.setdefault(entry.collective, {"native": {}})[entry.algorithm] = tunables
    return found


KNOWN = collectives()
NAMES = [name.format(each) for each in KNOWN for name in
         ("{}", "i{}", "{}_init", "{}@lane", "{}@node")]  # fmt: skip
NUMBERS = st.sampled_from(
    ["0", "1", "2", "4", "16", "64K", "1M", "2KiB", "9G", "2147483647", "2147483648", "9" * 19,
     "9" * 25, "-1", "007", "1k", "0x10", "+3", ""]
)  # fmt: skip
LETTERS = st.sampled_from(
    [*"=.,@()#_-+ \t\r\f", "..", "é", "\u3000", "0", "9", "K", "a", "use", "with"]
)


def ranges():
    return st.one_of(NUMBERS, st.builds("{}..{}".format, NUMBERS, NUMBERS))


def word_pairs(names, values):
    return st.builds("{}={}".format, st.sampled_from(names), values)


@st.composite
def choices(draw, collective):
    name = draw(st.sampled_from([*KNOWN.get(collective, KNOWN["bcast"])]))
    declared = [*KNOWN.get(collective, {}).get(name, ())]
    if not declared or draw(st.booleans()):
        return name
    given_ones = draw(st.lists(word_pairs(declared, NUMBERS), max_size=2))
    return f"{name}({','.join(given_ones)})"


@st.composite
def rules(draw):
    target = draw(st.sampled_from(NAMES))
    collective = next((each for each in KNOWN if target in (f"i{each}", f"{each}_init")), None)
    where = draw(
        st.lists(word_pairs(["ranks", "nodes", "ppn", "lanes", "bytes"], ranges()), max_size=3)
    )
    layout = draw(st.sampled_from(["", "", "", "layout=regular", "layout=irregular", "layout=odd"]))
    binding = draw(st.sampled_from([*[""] * 4, "binding=lane", "binding=all", "binding=two"]))
    inferred = draw(st.sampled_from([*[""] * 4, "inferred", "inferred=hydra", "inferred="]))
    words = [
        target,
        *where,
        layout,
        binding,
        inferred,
        "use",
        draw(choices(collective or target.partition("@")[0])),
    ]
    components = draw(st.lists(st.sampled_from(sorted(KNOWN)), max_size=2))
    for number, each in enumerate(components):
        scope = draw(st.sampled_from(["lane", "node"]))
        words += ["with"] * (number == 0) + [f"{each}@{scope}={draw(choices(each))}"]
    return " ".join(filter(None, words))


HEADERS = st.one_of(
    st.builds("library {}".format, st.sampled_from(["Open MPI 4.1.4", "MPICH 4", ""])),
    st.lists(word_pairs(["nodes", "ppn", "bytes"], ranges())).map(
        lambda words: " ".join(["shape", *words])
    ),
    st.sampled_from(["elsewhere use", "elsewhere ignore", "elsewhere", "lanes 2", "lanes=2",
                     "lanes 2 weights 2:1", "lanes 2 weights 2",
                     "lanes 2 weights 2:2,a=2:1", "lanes 2 weights 2:2,a=2:1,b=0:1",
                     "lanes 2 weights 2:2,a=2", "lanes 2 weights 2:2,a=2:1,a=2:1",
                     "lanes 2 weights 2:2,", "lanes 2 weights 2:2,=2:1", "lanes 2 weights a=2:1",
                     "lanes 2 weights 0:0",
                     "lanes 2 weights 2:", "lanes 2 weights", "lanes 1 weights 10001",
                     "lanes 2 2", "lanes 0", "lanes 1025", "predicted 2026-11-25",
                     "predicted 2026-13-01", "predicted 2026-02-30", "predicted soon",
                     "tuned 2026-11-25", "measured soon", "machine a b.toml", "machine",
                     "native openmpi-4.1", "margin 1.25", "margin 0.5", "margin 1.2.5",
                     "simulated bcast scan", "simulated scan scan", "simulated scam",
                     "quirks MPICH", "quirks Open MPI", "quirks MPI", "stand-in MPICH 3.3's rules",
                     "undecided scan bytes=..3", "undecided", "undecided scan use native",
                     FIRST.strip()]),
)  # fmt: skip


@st.composite
def damaged(draw, lines):
    """A line with a few edits: something taken out, put in, doubled, or in another order."""
    line = draw(lines)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(line)))
        end = min(len(line), start + draw(st.integers(0, 5)))
        words = line.split(" ")
        line = draw(st.sampled_from([
            line[:start] + line[end:],
            line[:end] + line[start:],
            line[:start] + draw(LETTERS) + line[start:],
            " ".join(reversed(words)),
            " ".join([*words[1:], words[0]]),
        ]))  # fmt: skip
    return line.replace("\n", " ")


LINES = st.tuples(
    st.lists(st.one_of(HEADERS, damaged(HEADERS)), max_size=6),
    st.lists(st.one_of(rules(), damaged(rules()), HEADERS), max_size=20),
).map(lambda parts: [*parts[0], *parts[1]])


def check(path):
    """The facts of `laneway-profile check`."""
    program = native.installed()[0].folder / "bin" / "laneway-profile"
    said = subprocess.run([program, "check", path], capture_output=True, timeout=LIMIT, check=False)
    assert (said.returncode in (0, 1), said.stderr) == (True, b""), said
    facts = [json.loads(line) for line in said.stdout.decode().splitlines()]
    assert said.returncode == any("error" in fact for fact in facts)
    return facts


def number_of(origin, path):
    assert origin.startswith(f"{path}:"), origin
    return int(origin.removeprefix(f"{path}:").partition(":")[0])


def is_understood(path, lines):
    path.write_text(FIRST + "".join(f"{line}\n" for line in lines), newline="")
    reader, right, wrong = Reader(KNOWN), {}, set()
    for number, line in enumerate(lines, start=2):
        text = line.partition("#")[0]
        if not text.strip(" \t\r"):
            continue
        try:
            if (rule := reader.line(text)) is not None:
                right[number] = rule
        except NonsenseError:
            wrong.add(number)
    facts = check(path)
    named = [number_of(fact["error"], path) for fact in facts if "error" in fact]
    assert sorted(named) == sorted(wrong), [lines[number - 2] for number in {*named} ^ wrong]
    read = {number_of(fact["rule"], path): fact for fact in facts if "rule" in fact}
    assert {
        number: {key: fact[key] for key in right.get(number, ())} for number, fact in read.items()
    } == right


@pytest.mark.parametrize("examples", [DRAW, pytest.param(FULL_DRAW, marks=pytest.mark.full)])
def test_every_line_is_understood_or_named(tmp_path, examples):
    @hypothesis.settings(max_examples=examples)
    @given(LINES)
    def run(lines):
        is_understood(tmp_path / "user.conf", lines)

    run()


@pytest.mark.parametrize("examples", [DRAW, pytest.param(FULL_DRAW, marks=pytest.mark.full)])
def test_files_of_any_bytes_are_refused_or_read(tmp_path, examples):
    path = tmp_path / "user.conf"
    valid = (FIRST + "bcast nodes=2.. use chain(segment=4K)\nlanes 2\n").encode()

    @hypothesis.settings(max_examples=examples)
    @given(st.one_of(st.binary(max_size=200), st.builds(
        lambda place, put, kept: valid[:place] + put + valid[place + kept :],
        st.integers(0, len(valid)), st.binary(max_size=8), st.integers(0, 8),
    )))  # fmt: skip
    def run(content):
        path.write_bytes(content)
        for fact in check(path):
            number_of(fact.get("error", fact.get("rule")).removeprefix("'"), path)

    run()
