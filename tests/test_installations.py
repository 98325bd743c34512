# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries of a machine, and how a build runs with one that it was not made for."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import laneway
from laneway.cli import cli
from laneway.doctor import installed
from laneway.errors import Problem
from laneway.interposition import exec as execution
from laneway.libraries import installations, loading, native
from laneway.libraries.identity import identify
from laneway.libraries.installations import Installation

SAID = {
    "Open MPI": "mpirun (Open MPI) {}",
    "MPICH": "HYDRA build details:\\n    Version:   {}",
    "Intel MPI": "Intel(R) MPI Library for Linux* OS, Version {} Build 1",
}


def sham(prefix: Path, product: str, version: str, *files: str, name: str = "mpiexec") -> Path:
    """A launcher that says which library it belongs to, with files of that library."""
    for folder in ("bin", "lib"):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
    launcher = prefix / "bin" / name
    launcher.write_text(f"#!/bin/sh\nprintf '{SAID[product].format(version)}\\n'\n")
    launcher.chmod(0o755)
    for file in files:
        (prefix / "lib" / file).touch()
    return launcher


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Nothing is found but what the environment names."""
    identify.cache_clear()
    monkeypatch.setattr(installations, "_loader_cache", lambda: ())
    monkeypatch.setattr(installations.sys, "prefix", str(tmp_path / "no-environment"))
    yield tmp_path
    identify.cache_clear()


def described(prefix: Path, build: str, interface: str, version: str, mpiexec: str = "") -> None:
    folder = prefix / build
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "build.json").write_text(
        f'{{"id": "{build}", "family": "{interface}", "version": "{version}", '
        f'"library": "{interface} {version}", "mpicc": "", "mpiexec": "{mpiexec}"}}'
    )


# ---- which there are --------------------------------------------------------------------------


def test_libraries_are_found_on_path_and_by_variables_each_once(alone):
    sham(alone / "a", "Open MPI", "4.1.4", "libmpi.so.40", name="mpirun")
    sham(alone / "a", "Open MPI", "4.1.4")
    sham(alone / "b", "Intel MPI", "2021.19.0", "libmpi.so.12", "libmpi_abi.so.1")
    found = installations.installations(
        {"PATH": f"{alone}/a/bin:{alone}/nowhere", "I_MPI_ROOT": str(alone / "b")}
    )
    assert [(each.library, each.way) for each in found] == [
        ("Open MPI 4.1.4", "PATH"),
        ("Intel MPI 2021.19.0", "variable"),
    ]
    assert found[0].files == {"openmpi": alone / "a/lib/libmpi.so.40"}
    assert found[1].files == {
        "mpich": alone / "b/lib/libmpi.so.12",
        "abi": alone / "b/lib/libmpi_abi.so.1",
    }


def test_a_launcher_that_is_a_script_is_asked_for_its_own_library(alone):
    """Intel MPI's mpirun starts the mpiexec.hydra that is first on PATH."""
    sham(alone / "a", "MPICH", "4.0.2", "libmpich.so.12", name="mpiexec.hydra")
    hydra = sham(alone / "b", "Intel MPI", "2021.19.0", "libmpi.so.12", name="mpiexec.hydra")
    script = hydra.with_name("mpirun")
    script.write_text('#!/bin/sh\nexec mpiexec.hydra "$@"\n')
    script.chmod(0o755)
    found = installations.installations({"PATH": f"{alone}/a/bin:{alone}/b/bin"})
    assert [each.library for each in found] == ["MPICH 4.0.2", "Intel MPI 2021.19.0"]


def test_libraries_of_one_folder_are_told_apart_by_their_launchers(alone):
    sham(alone / "usr", "Open MPI", "4.1.4", "libmpi.so.40", name="mpirun.openmpi")
    sham(alone / "usr", "MPICH", "4.0.2", "libmpich.so.12", name="mpirun.mpich")
    found = installations.installations({"PATH": f"{alone}/usr/bin"})
    assert {each.product: [*each.files] for each in found} == {
        "Open MPI": ["openmpi"],
        "MPICH": ["mpich"],
    }


def test_a_library_that_has_no_standard_abi_is_not_given_its_neighbours(alone):
    sham(alone / "env", "Open MPI", "5.0.11", "libmpi.so.40", name="mpirun")
    sham(alone / "env", "MPICH", "5.0.2", "libmpi.so.12", "libmpi_abi.so.1", name="mpiexec.hydra")
    found = installations.installations({"PATH": f"{alone}/env/bin"})
    assert {each.product: [*each.files] for each in found} == {
        "Open MPI": ["openmpi"],
        "MPICH": ["mpich", "abi"],
    }


def test_a_library_without_launcher_is_one_that_the_loader_knows(alone, monkeypatch):
    file = alone / "libmpi.so.12"
    monkeypatch.setattr(installations, "_loader_cache", lambda: [("libmpi.so.12", file)])
    (found,) = installations.installations({"PATH": ""})
    assert (found.library, found.way, found.mpiexec) == ("libmpi.so.12", "loader", None)
    assert found.files == {"mpich": file}


def test_a_launcher_that_is_none_is_passed_over(alone):
    launcher = sham(alone / "a", "MPICH", "4.0.2")
    launcher.write_text("#!/bin/sh\nexit 3\n")
    assert not installations.installations({"PATH": f"{alone}/a/bin"})


@pytest.mark.parametrize(
    ("version", "interface", "is_served"),
    [("5.0.1", "abi", False), ("5.0.2", "abi", True), ("5.0.1", "mpich", True)],
)
def test_first_releases_of_mpich_have_a_standard_abi_that_fails(version, interface, is_served):
    assert (
        bool(installations.defect(Installation("MPICH", version, "PATH"), interface)) != is_served
    )


# ---- which build serves them ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interface", "version", "build"),
    [
        ("mpich", "4.1.3", "mpich-4.0"),
        ("mpich", "4.3.2", "mpich-4.3"),
        ("mpich", "5.0.2", "mpich-5.0"),
        ("mpich", "2021.19.0", "mpich-4.0"),
        ("mpich", "3.4.3", "mpich-4.0"),
        ("openmpi", "5.0.11", "openmpi-4.1"),
        ("abi", "2021.19.0", "abi-1"),
    ],
)
def test_the_build_for_the_newest_release_that_is_no_newer_serves(
    alone, monkeypatch, interface, version, build
):
    for name in ("mpich-4.0", "mpich-4.3", "mpich-5.0", "openmpi-4.1", "mpich-4.1-asan"):
        described(alone / "builds", name, *name.split("-")[:2])
    described(alone / "builds", "abi-1", "abi", "1.0")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    assert native.fitting(native.described(), interface, version).id == build
    assert native.fitting([], interface, version) is None


def test_a_build_of_a_wheel_is_one_for_each_library_that_it_fits(alone, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "cache"))
    sham(alone / "a", "Open MPI", "4.1.4", "libmpi.so.40", name="mpirun")
    sham(alone / "b", "Intel MPI", "2021.19.0", "libmpi.so.12", "libmpi_abi.so.1")
    monkeypatch.setenv("PATH", f"{alone}/a/bin:{alone}/b/bin:/usr/bin:/bin")
    described(alone / "builds", "openmpi-4.1", "openmpi", "4.1.8")
    described(alone / "builds", "mpich-4.0", "mpich", "4.0.3")
    described(alone / "builds", "abi-1", "abi", "1.0")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    found = {build.id: build for build in native.installed() if alone in build.mpiexec.parents}
    assert [*found] == ["openmpi-4.1", "impi-2021.19", "impi-2021.19-abi"], "the order of PATH"
    impi = found["impi-2021.19-abi"]
    assert (impi.family, impi.interface, impi.library) == ("mpich", "abi", "Intel MPI 2021.19.0")
    assert native.find("impi").id == "impi-2021.19"
    assert native.find("mpich-4.0").id == "impi-2021.19", "the build that the doctor names"
    assert native.find("abi").id == native.find("abi-1").id == "impi-2021.19-abi"
    with pytest.raises(Problem, match="put its mpirun on PATH"):
        native.find("mpich-9.9")


def test_a_build_of_a_wheel_stands_alone_where_there_is_no_library(alone, monkeypatch):
    described(alone / "builds", "abi-1", "abi", "1.0")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    monkeypatch.setattr(native, "installations", list)
    assert [build.id for build in native.installed()] == ["abi-1"]


# ---- loading ------------------------------------------------------------------------------------


def test_a_program_of_a_build_loads_the_library_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folders = {}
    for name, answer in (("libmpich.so.12", 1), ("libmpi.so.12", 2)):
        folders[name] = tmp_path / f"of {answer}"
        folders[name].mkdir()
        source = tmp_path / "library.c"
        source.write_text(f"int answer(void) {{ return {answer}; }}\n")
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o",
                        folders[name] / name], check=True)  # fmt: skip
    (tmp_path / "main.c").write_text("int answer(void);\nint main(void) { return answer(); }\n")
    build = tmp_path / "a build"
    (build / "bin").mkdir(parents=True)
    (build / "lib").mkdir()
    linked = folders["libmpich.so.12"] / "libmpich.so.12"
    (build / "build.json").touch()
    subprocess.run(["cc", tmp_path / "main.c", linked, "-o", build / "bin" / "program"], check=True)
    for name, answer in (("libmpich.so.12", 1), ("libmpi.so.12", 2)):
        programs = loading.programs_with(build, folders[name] / name)
        assert subprocess.run([programs / "program"], check=False).returncode == answer
        assert programs == loading.programs_with(build, folders[name] / name)
    assert len([*(tmp_path / "cache/laneway/libraries").iterdir()]) == 2
    (build / "bin" / "other").write_text("#!/bin/sh\nexit 5\n")
    (build / "bin" / "other").chmod(0o755)
    changed = loading.programs_with(build, folders["libmpi.so.12"] / "libmpi.so.12")
    assert subprocess.run([changed / "other"], check=False).returncode == 5


def test_a_cache_that_cannot_be_written_to_is_told(tmp_path, monkeypatch):
    described(tmp_path, "openmpi-4.1", "openmpi", "4.1.4")
    (tmp_path / "libmpi.so.40").touch()
    (tmp_path / "cache").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(Problem, match="set XDG_CACHE_HOME to a folder that all nodes see"):
        loading.programs_with(tmp_path / "openmpi-4.1", tmp_path / "libmpi.so.40")


def test_a_program_that_is_run_under_laneway_needs_no_cache(alone, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    launcher = sham(alone / "a", "Intel MPI", "2021.19.0", "libmpi.so.12")
    described(alone / "builds", "mpich-4.0", "mpich", "4.0.3")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    build = execution.build_for([str(launcher), "-n", "2", "./app"], None)
    assert (build.library, build.folder) == ("Intel MPI 2021.19.0", alone / "builds/mpich-4.0")
    assert build.preload == alone / "builds/mpich-4.0/lib/liblaneway_preload.so"
    (build.folder / "bin" / "laneway-profile").touch()
    with build.programs_here() as folder:
        (script,) = folder.iterdir()
        assert str(alone / "a/lib") in script.read_text()
    assert not folder.exists()


def test_a_launcher_is_asked_that_is_named_wherever_another_one_is(alone, monkeypatch):
    sham(alone / "path", "Open MPI", "4.1.4", "libmpi.so.40", name="mpirun")
    sham(alone / "here", "MPICH", "5.0.2", "libmpi.so.12", name="mpirun")
    for name in ("openmpi-4.1", "mpich-4.0"):
        described(alone / "builds", name, *name.split("-"))
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    monkeypatch.setenv("PATH", f"{alone}/path/bin:/usr/bin:/bin")
    monkeypatch.chdir(alone / "here/bin")
    build = execution.build_for(["./mpirun", "-n", "2", "./app"], None)
    assert (build.library, build.family) == ("MPICH 5.0.2", "mpich")


def test_a_launcher_whose_library_lies_elsewhere_is_served(alone, monkeypatch):
    launcher = sham(alone / "scripts", "Open MPI", "5.0.3", name="mpirun")
    described(alone / "builds", "openmpi-4.1", "openmpi", "4.1.8")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    build = execution.build_for([str(launcher), "-n", "2", "./app"], None)
    assert (build.library, build.family, build.loads) == ("Open MPI 5.0.3", "openmpi", None)


# ---- what the doctor says -----------------------------------------------------------------------


def test_the_doctor_says_what_serves_each_library(alone, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "cache"))
    launcher = sham(alone / "a", "MPICH", "5.0.1", "libmpi.so.12", "libmpi_abi.so.1")
    launcher.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "if sys.argv[1:] == ['--version']:\n"
        "    print('HYDRA build details:\\n    Version:   5.0.1')\n"
        "else:\n"
        '    print(\'{"kind": "start", "serves_requests": false}\')\n'
    )
    monkeypatch.setenv("PATH", f"{alone}/a/bin:/usr/bin:/bin")
    described(alone / "builds", "mpich-4.0", "mpich", "4.0.3")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    found = {each.file: each for each in installed.served() if str(alone) in each.mpiexec}
    own = found[str(alone / "a/lib/libmpi.so.12")]
    assert (own.build, own.blocking, own.requests) == ("mpich-4.0", True, False)
    assert "nonblocking and persistent collectives are native" in own.why
    of_the_standard = found[str(alone / "a/lib/libmpi_abi.so.1")]
    assert (of_the_standard.build, of_the_standard.blocking) == ("", False)
    assert "MPICH before 5.0.2" in of_the_standard.why


def test_the_doctor_says_why_no_process_starts(alone, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "cache"))
    launcher = sham(alone / "a", "MPICH", "5.0.2", "libmpi.so.12")
    launcher.write_text(launcher.read_text() + '[ "$1" = --version ] || { echo no >&2; exit 1; }\n')
    monkeypatch.setenv("PATH", f"{alone}/a/bin:/usr/bin:/bin")
    described(alone / "builds", "mpich-4.0", "mpich", "4.0.3")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    (found,) = (each for each in installed.served() if str(alone) in each.mpiexec)
    assert (found.build, found.blocking) == ("", False)
    assert "no process starts under" in found.why
    assert found.why.endswith(": no")


def test_the_version_names_the_builds(alone, monkeypatch):
    described(alone / "builds", "openmpi-4.1", "openmpi", "4.1.8")
    described(alone / "builds", "abi-1", "abi", "1.0")
    monkeypatch.setattr(native, "prefixes", lambda: [alone / "builds"])
    said = CliRunner().invoke(cli, ["--version"])
    assert said.output == f"laneway {laneway.__version__} (openmpi-4.1, abi-1)\n"
