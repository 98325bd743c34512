# SPDX-License-Identifier: BSD-3-Clause
"""How measurements end: the sentence, the profile in their folder, the next command."""

import json
import math
import os
import re
import shlex
from html import unescape

import pytest
from click.testing import CliRunner

import campaigns
from laneway.choosing import conclusion
from laneway.choosing.conclusion import conclude
from laneway.cli import cli
from laneway.errors import Misuse
from laneway.libraries import native, profile
from laneway.results.measurements import Measured, read
from laneway.showing.report import render

WINS = {"lane": {100: 0.5, 1000: 0.25, 10000: 2, 100000: 0.5}}
UNSURE = {"lane": {100: 0.5}}


def invoke(*words, code=0):
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def resumable(folder, rows, command="laneway compare --collective bcast", runs=3):
    campaigns.write(folder, rows)
    facts = {"format": 1, "command": command, "runs": runs}
    (folder / "manifest.json").write_text(json.dumps(facts))
    return folder


@pytest.mark.parametrize("words", [["report"], ["report", "--table"], ["profile", "write"]])
def test_the_end_is_a_sentence_a_profile_and_the_command_that_uses_it(tmp_path, words):
    folder = campaigns.write(tmp_path / "own", campaigns.versus(WINS))
    *_, first, second, command = invoke(*words, folder).stdout.splitlines()
    assert "lane is up to 3.98 times as fast as Open MPI 4.1.4's own bcast from 400 B" in first
    assert second.startswith("lane is 1.99 times")
    use = f"laneway exec --profile {folder}/profile.conf"
    assert command == f"to use it: {use} -- laneway cluster run --ppn 4 -- ./app"


@pytest.mark.parametrize(
    ("library", "form"),
    [
        ("Open MPI 4.1.4", "ompi-dynamic-rules"),
        ("MPICH 4.0.2", "mpich-csel --output collectives.json"),
    ],
)
def test_a_better_choice_among_the_library_s_own_ends_with_its_own_format(tmp_path, library, form):
    own = {"native:chain": {100: 0.5}, "native:binomial": {100: 2}}
    rows = [*campaigns.versus(own, library=library)]
    folder = campaigns.write(tmp_path / "own", rows)
    *_, gain, command = conclude(Measured(rows), folder).lines
    assert gain.startswith(f"native:chain is 2.00 times as fast as {library}'s own bcast")
    assert command == (
        f"to have {library} use it by itself: laneway export {folder} --format {form}"
    )
    assert not [*folder.glob("*.conf")]
    (only,) = conclude(Measured([*campaigns.versus({"native:chain": {100: 1.0}})])).lines
    assert "confirmed to be faster than the one that it chooses" in only


def test_of_one_run_nothing_is_called_best():
    rows = campaigns.versus({"lane": {100: 1.0}}, runs=1)
    told, more = conclude(Measured([*rows])).lines
    assert told == (
        "No algorithm looks faster than Open MPI 4.1.4's own, but that is not certain in the "
        "one case; 1 run can never confirm it. No profile is written."
    )
    assert more.startswith("to decide the one open case, measure again with --runs ")


@pytest.mark.parametrize(
    ("collectives", "told"), [(5, ""), (6, "1 more gain,"), (7, "2 more gains,")]
)
def test_five_gains_are_told_and_the_others_counted(collectives, told):
    rows = [
        {**row, "collective": f"c{number}"} if "collective" in row else row
        for number in range(collectives)
        for row in campaigns.versus(UNSURE)
    ]
    lines = [line for line in conclude(Measured(rows)).lines if " more gain" in line]
    assert len(lines) == bool(told)
    assert all(line.startswith(f"{told} each with a rule") for line in lines)


@pytest.mark.parametrize("build", native.installed()[:1], ids=lambda build: build.id)
def test_the_library_understands_the_profile_and_chooses_by_it(tmp_path, build):
    folder = campaigns.write(tmp_path, campaigns.versus(WINS))
    conclude(Measured([*campaigns.versus(WINS)]), folder)
    rules = profile.check(build, [folder / "profile.conf"])
    assert [rule["where"]["bytes"] for rule in rules] == [[400, 4000], [400000, 400000]]
    settings = {"LANEWAY_PROFILE": str(folder / "profile.conf"), "LANEWAY_PROFILE_DIR": ""}

    def chosen(size, nodes=4):
        return profile.show(
            build, profile.CommunicatorShape(nodes, 4), "bcast", str(size), settings
        )["algorithm"]

    sizes = (399, 400, 2000, 4000, 4001, 40000, 399999, 400000, 400001)
    assert [chosen(size) == "lane" for size in sizes] == [0, 1, 1, 1, 0, 0, 0, 1, 0]
    assert chosen(400, nodes=8) == "native", "that was not measured"


@pytest.mark.parametrize("form", ["--json", "--csv", "--markdown"])
@pytest.mark.parametrize(("command", "code"), [("report", 0), ("verify", 1)])
def test_what_is_to_be_read_by_a_program_writes_nothing(tmp_path, command, code, form):
    folder = campaigns.write(tmp_path, campaigns.versus(WINS))
    said = invoke(command, form, folder, code=code)
    assert form != "--json" or all(json.loads(line) for line in said.stdout.splitlines())
    assert said.stderr == ""
    assert [path.name for path in folder.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize(("words", "code"), [(["report", "--table"], 0), (["verify"], 1)])
def test_a_folder_that_cannot_be_written_to_is_read_all_the_same(
    tmp_path, monkeypatch, words, code
):
    folder = campaigns.write(tmp_path / "my runs", campaigns.versus(WINS))
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK)
    said = invoke(*words, folder, code=code)
    assert said.stderr == ""
    assert [path.name for path in folder.iterdir()] == ["rows.jsonl"]
    *_, last = said.stdout.splitlines()
    told = last.removeprefix("for a profile that uses it: laneway ")
    assert told == f"profile write '{folder}' --output profile.conf"


def two_libraries(tmp_path):
    both = [
        row
        for library in ("Open MPI 4.1.4", "MPICH 4.0.2")
        for row in campaigns.versus(UNSURE, library=library)
    ]
    return campaigns.write(tmp_path / "both", both)


def test_of_several_libraries_the_commands_that_are_printed_write_each(tmp_path, monkeypatch):
    folder = two_libraries(tmp_path)
    monkeypatch.chdir(tmp_path)
    rows = folder / "rows.jsonl"
    said = invoke("report", "--table", rows).stdout.splitlines()
    mark = "for a profile that uses it: laneway "
    printed = [line.removeprefix(mark) for line in said if line.startswith(mark)]
    assert len(printed) == 2
    for command in printed:
        invoke(*shlex.split(command))
    for name, library in (("open-mpi-4.1.4", "Open MPI 4.1.4"), ("mpich-4.0.2", "MPICH 4.0.2")):
        assert f"# {library}, 4 nodes" in (tmp_path / f"profile-{name}.conf").read_text()


def test_who_chooses_no_library_is_told_how_to(tmp_path):
    folder, target = two_libraries(tmp_path), tmp_path / "my.conf"
    told = invoke_wrong("profile", "write", folder, "--output", target)
    assert "a profile is about one library: choose it with --mpi" in told
    invoke(*shlex.split(told.partition("as in: laneway ")[2]))
    assert "# Open MPI 4.1.4, 4 nodes" in target.read_text()
    assert "goes with --output" in invoke_wrong("profile", "write", folder, "--mpi", "mpich")


@pytest.mark.parametrize("name", ["mpich", "mpich-4", "mpich-4.0", "MPICH 4.0.2", "mpich-4.0.2"])
def test_a_library_is_called_as_builds_of_it_or_as_in_the_rows(tmp_path, name):
    measured = read([two_libraries(tmp_path)])
    assert measured.of_library(name).libraries == ["MPICH 4.0.2"]


@pytest.mark.parametrize("name", ["mpi", "mpich-4.1", "mpich-4.0.20", "open", "", "-"])
def test_what_no_library_is_called_is_refused(tmp_path, name):
    with pytest.raises(Misuse, match=r"is none of open-mpi-4\.1\.4, mpich-4\.0\.2"):
        read([two_libraries(tmp_path)]).of_library(name)


def test_verify_says_in_words_what_is_slower(tmp_path):
    folder = campaigns.write(tmp_path, campaigns.versus(WINS))
    said = invoke("verify", folder, code=1).stdout
    assert "native is slower: its bcast 1000 takes 3.98 times as long as lane bcast 1000 (" in said
    assert f"laneway exec --profile {folder}/profile.conf -- laneway cluster run" in said


def test_a_verdict_of_verify_stands_in_its_line_in_a_pipe(tmp_path):
    folder = campaigns.write(tmp_path, campaigns.campaign(("allreduce",), sizes=3, runs=6))
    said = invoke("verify", folder, "--all", "--guideline", "native <= lane", code=1).stdout
    lines = [line for line in said.splitlines() if line.startswith(" allreduce ")]
    assert len(lines) == 3
    for line in lines:
        assert re.search(r"(VIOLATED|HOLDS|UNDECIDED)\s*$", line)
        assert re.search(r"B  lane +[\d.]", line), "what the left side says is not said again"


def test_verify_says_which_binding_is_compared_and_which_recommended(tmp_path):
    better = {"lane": {1000: 0.5}}
    rows = [
        *campaigns.versus(WINS, binding="all"),
        *(row for row in campaigns.versus(better, binding="lane") if row["kind"] == "sample"),
    ]
    said = invoke("verify", campaigns.write(tmp_path, rows), code=1).stdout
    assert "native is slower: its bcast 1000 (binding all) takes 3.98 times as long as" in said
    assert "each at the better of its bindings" in said


def test_too_few_runs_write_nothing_and_say_how_many_would_do(tmp_path):
    folder = resumable(tmp_path, campaigns.versus(UNSURE, runs=3))
    conclude(Measured([*campaigns.versus(WINS)]), folder)
    assert (folder / "profile.conf").exists()
    lines = conclude(Measured([*campaigns.versus(UNSURE, runs=3)]), folder).lines
    assert lines == [
        (
            "No algorithm is confirmed to be faster than Open MPI 4.1.4's own yet, but it looks so "
            "in the one case; 3 runs can never confirm it. No profile is written."
        ),
        f"to decide the one open case: laneway campaign resume --runs 5 {folder}",
    ]
    assert not (folder / "profile.conf").exists(), "what it said is not confirmed any more"
    assert invoke("profile", "write", folder, code=1).stdout.splitlines() == lines


def test_what_cannot_be_resumed_is_to_be_measured_again(tmp_path):
    folder = resumable(tmp_path, campaigns.versus(UNSURE, runs=3), command="laneway demo")
    told = conclude(Measured([*campaigns.versus(UNSURE, runs=3)]), folder).lines
    assert told[-1] == "to decide the one open case, measure again with --runs 5"


def test_where_nothing_is_faster_nothing_is_to_be_done(tmp_path):
    same = {"lane": {100: 1.0, 1000: 1.2}}
    (line,) = conclude(Measured([*campaigns.versus(same)]), tmp_path).lines
    assert line.startswith(
        "No algorithm is faster than Open MPI 4.1.4's own by more than 5% in any"
    )
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("others", [{}, {"native#b": {100: 0.5}}])
def test_native_alone_leads_to_a_comparison(others):
    every = campaigns.versus({"lane": {100: 1}, **others})
    rows = [{**row, "command": "laneway compare bcast --algorithm native"} if "command" in row
            else row for row in every if row.get("algorithm") != "lane"]  # fmt: skip
    (line,) = conclude(Measured(rows)).lines
    assert line.endswith("laneway compare bcast")


def native_alone(collective, command):
    rows = campaigns.versus({"lane": {100: 1}}, collective=collective)
    own = [row for row in rows if row.get("algorithm") != "lane"]
    return [{**row, "command": command} if row["kind"] == "campaign" else row for row in own]


def test_what_laneway_has_no_algorithms_for_is_said_and_not_compared_again(monkeypatch):
    monkeypatch.setattr(conclusion, "_served", lambda: ["bcast"])
    rows = native_alone("allgatherv", "laneway compare MPI_Allgatherv")
    (line,) = conclude(Measured(rows)).lines
    assert line.startswith(
        "Only native was measured: Laneway has no algorithms for allgatherv. It has some for "
    )
    assert "laneway compare" not in line


@pytest.mark.parametrize(
    ("command", "again"),
    [
        ("laneway compare MPI_Bcast --count 100 --nodes 1 --ppn 1", False),
        ("laneway compare bcast --algorithm best", False),
        ("laneway compare bcast --algorithm native", True),
        ("laneway bench bcast", True),
    ],
)
def test_the_command_that_was_just_run_is_not_what_is_to_be_done(command, again):
    (line,) = conclude(Measured(native_alone("bcast", command))).lines
    assert ("laneway compare bcast" in line) == again
    assert again or "none of the algorithms that were asked for can serve bcast here" in line


def noisy(spread, **heading):
    """Seven runs of native and of one that is faster by a tenth, if runs did not differ so much."""
    for row in campaigns.versus({"lane": {100: 0.9}}, runs=7):
        if row["kind"] == "sample":
            times = row["time_us"] * (1 + spread * math.sin(7 * row["run"] + len(row["algorithm"])))
            yield {**row, "time_us": times}
            yield {**row, "repetition": 1, "time_us": times}
            yield {**row, "repetition": 2, "time_us": times / 3}
        else:
            yield {**row, **heading} if row["kind"] == "campaign" else row


@pytest.mark.parametrize(("spread", "runs"), [(0.1, "58"), (0.2, None)])
def test_a_busy_machine_is_told_and_no_hundreds_of_runs_are_asked_for(spread, runs):
    rows = [*noisy(spread, load=3.4, oversubscribed=True)]
    _, busy, last = conclude(Measured(rows)).lines
    assert busy.startswith(
        "The machine was busy: other processes were at work when it began (load 3.4 on 2 cores); "
        "there were more ranks than cores (2); native's median is "
    )
    assert busy.endswith(" times its least time.")
    if runs:
        assert last == f"to decide the one open case, measure again with --runs {runs}"
        return
    assert re.match(r"\d{3} runs like these may decide the first of them", last)
    assert last.endswith("Measure again while nothing else runs, or longer in each run (--time).")
    html = render(Measured(rows))
    assert busy in unescape(html)
    assert last in html


def test_of_campaigns_that_follow_each_other_the_first_one_tells_the_load():
    """The other's is that of the first one's jobs."""
    first, second = noisy(0.1, load=0.1), noisy(0.1, load=7.0)
    rows = [*first, *({**row, "library": "MPICH 4.0.2"} if "library" in row else row
                      for row in second)]  # fmt: skip
    told, busy, *_ = conclude(Measured(rows)).lines
    assert "faster than Open MPI 4.1.4's or MPICH 4.0.2's own yet" in told
    assert busy.startswith("The machine was busy: native's median is ")


def test_a_quiet_machine_is_not_called_busy():
    rows = [*campaigns.versus(UNSURE, runs=3)]
    assert not any("busy" in line for line in conclude(Measured(rows)).lines)


def test_what_chooses_by_itself_is_held_against_native_at_the_better_binding():
    rows = []
    for binding, slower in (("lane", 1.0), ("all", 4.0)):
        gains = {
            "native": {100: slower, 1000: slower},
            "tuned": {100: slower / 2, 1000: slower * 2},
        }
        rows += [{**row, "binding": binding} for row in campaigns.versus(gains)
                 if row.get("algorithm") in ("native", "tuned", None)]  # fmt: skip
    (line,) = conclude(Measured(rows)).lines
    assert line == (
        "The choice of tuned is 0.99 times as fast as native on geometric mean, "
        "from 0.50 (bcast 3.91 KiB) to 1.99 (bcast 400 B)."
    )


def test_a_profile_that_somebody_wrote_stays(tmp_path):
    folder = campaigns.write(tmp_path, campaigns.versus(WINS))
    mine = folder / "profile.conf"
    mine.write_text("laneway profile 1\nbcast use native\n")
    assert "it is left as it is" in invoke("profile", "write", folder, code=1).stderr
    assert mine.read_text() == "laneway profile 1\nbcast use native\n"


def test_only_what_nobody_has_changed_is_written_anew_or_taken_away(tmp_path):
    folder = campaigns.write(tmp_path, campaigns.versus(WINS))
    conclude(Measured([*campaigns.versus(WINS)]), folder)
    text = (folder / "profile.conf").read_text()
    (folder / "profile-site.conf").write_text(text)
    nothing = Measured([*campaigns.versus({"lane": {100: 1}})])
    conclude(nothing, folder)
    assert not (folder / "profile.conf").exists()
    assert (folder / "profile-site.conf").read_text() == text

    changed = text.replace("use lane", "use native")
    (folder / "profile.conf").write_text(changed)
    conclude(nothing, folder)
    assert (folder / "profile.conf").read_text() == changed
    problems = conclude(Measured([*campaigns.versus(WINS)]), folder).problems
    assert "changed by somebody" in problems[0]
    assert (folder / "profile.conf").read_text() == changed


def test_a_command_that_is_not_utf_8_is_kept(tmp_path):
    rows = [*campaigns.versus(WINS)]
    heading = next(row for row in rows if row["kind"] == "campaign")
    heading["command"] = "laneway compare --out r\udcff"
    conclude(Measured(rows), tmp_path)
    assert b"--out r\xff" in (tmp_path / "profile.conf").read_bytes()


def test_a_profile_goes_where_it_is_asked_for(tmp_path):
    folder = campaigns.write(tmp_path / "own", campaigns.versus(WINS))
    half = {"lane": {100: 0.45, 1000: 0.24}}
    other = campaigns.write(tmp_path / "other", campaigns.versus(half))
    printed = invoke("profile", "write", folder, "--output", "-").stdout
    assert printed.startswith("laneway profile 1\n# Written by laneway from measurements")
    said = invoke(
        "profile", "write", folder, other / "rows.jsonl", "--output", tmp_path / "my.conf"
    )
    assert said.stdout.splitlines()[-1].startswith("to use it: laneway exec --profile ")
    assert (tmp_path / "my.conf").exists()
    assert not (folder / "profile.conf").exists()
    assert "--output" in invoke_wrong("profile", "write", folder, folder)


def invoke_wrong(*words):
    return str(CliRunner().invoke(cli, [str(word) for word in words]).exception)


def test_verify_reads_a_file_of_rows_as_report_does(tmp_path):
    folder = campaigns.write(tmp_path / "own", campaigns.versus(WINS))
    of_folder, of_file = (
        invoke("verify", folder, code=1),
        invoke("verify", folder / "rows.jsonl", code=1),
    )
    table = of_folder.stdout.split("Ratios are times")[0]
    assert of_file.stdout.startswith(table)
    assert f"laneway profile write {folder}/rows.jsonl" in of_file.stdout
