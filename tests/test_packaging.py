# SPDX-License-Identifier: BSD-3-Clause
"""Parts for administrators: installation, module file, the folder for profiles, Spack recipe."""

import contextlib
import fcntl
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import types
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from jobs import BUILDS, LIMIT, ROOT, run
from laneway.cli import cli
from laneway.commands import COMMANDS, Extra
from laneway.libraries import native

VERSION = re.search(r"project\(laneway VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

LOADED = """
proc module-whatis {text} {}
proc prepend-path {name path} { puts "$name $path" }
proc setenv {name value} { puts "$name $value" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
"""

PLAIN = {"PATH": "/usr/bin:/bin", "HOME": "/"}


def module_file(build):
    return build.folder / "share" / "laneway" / "modulefiles" / "laneway" / VERSION


def modulecmd():
    """The commands by which modules are loaded here: of Environment Modules and Lmod."""
    known = [*Path("/usr").glob("lib/*/modulecmd.tcl"), Path("/usr/share/lmod/lmod/libexec/lmod")]
    known += [Path(found) for name in ("modulecmd.tcl", "lmod") if (found := shutil.which(name))]
    return [path for path in known if path.exists()]


def command_line(*words):
    """The output of `laneway`."""
    outcome = CliRunner().invoke(cli, words)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def runs_the_command(environment):
    """As the module's help has it: the ranks would have the preload."""
    words = ["laneway", "exec", "--", "sh", "-c", "echo $LD_PRELOAD"]
    return subprocess.run(
        ["env", *words], env=environment, capture_output=True, text=True, check=True, timeout=LIMIT
    ).stdout.strip()


def told_by_module(build, folder):
    """The variables that a build's module file sets, by name."""
    script = folder / "load.tcl"
    script.write_text(LOADED)
    said = subprocess.run(
        ["tclsh", script, module_file(build)],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    ).stdout
    return dict(line.split(" ", 1) for line in said.splitlines())


needs_tclsh = pytest.mark.skipif(shutil.which("tclsh") is None, reason="no tclsh to read it")


@needs_tclsh
@pytest.mark.parametrize("build", BUILDS)
def test_a_loaded_module_hides_no_profile_of_the_user(tmp_path, build):
    mine = tmp_path / "laneway" / "mine.conf"
    mine.parent.mkdir()
    mine.write_text("laneway profile 1\nbcast bytes=1M.. use lane\n")
    loaded = told_by_module(build, tmp_path)
    path = f"{loaded['PATH']}:{PLAIN['PATH']}"
    words = ["laneway", "exec", "--mpi", build.id, "--", "true"]
    said = subprocess.run(
        ["env", *words],
        env={**PLAIN, **loaded, "PATH": path, "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, check=True, timeout=LIMIT,
    ).stderr  # fmt: skip
    assert f"laneway: profile {mine}, 1 rule" in said


@needs_tclsh
def test_the_module_file_names_what_is_there(tmp_path):
    build = native.find()
    told = told_by_module(build, tmp_path)
    assert Path(told["LANEWAY_PRELOAD"]) == build.preload
    assert set(told) >= {"PATH", "LD_LIBRARY_PATH", "CPATH", "LANEWAY_PRELOAD"}
    assert all(Path(place).exists() for place in told.values()), told
    assert "LD_PRELOAD" not in told
    assert not any((Path(told["PATH"]) / name).exists() for name in ("python", "python3", "pip"))
    path = f"{told['PATH']}:{PLAIN['PATH']}"
    assert runs_the_command({**PLAIN, "PATH": path}).endswith(build.preload.name)


@pytest.mark.parametrize("build", BUILDS)
def test_a_real_module_command_loads_the_module_file(build):
    if not modulecmd():
        pytest.skip("neither environment-modules nor lmod is installed")
    command = modulecmd()[0]
    folder = module_file(build).parent.parent
    shell = ["tclsh", command, "sh"] if command.suffix == ".tcl" else [command, "sh"]
    load = subprocess.run(
        [*shell, "load", f"laneway/{VERSION}"],
        env={**PLAIN, "MODULEPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    assert load.stderr == ""
    script = f'{load.stdout}\nprintf "%s\\n" "$LANEWAY_PRELOAD" "$PATH"'
    preload, path = subprocess.run(
        ["sh", "-c", script], env=PLAIN, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert Path(preload) == build.preload
    assert runs_the_command({**PLAIN, "PATH": path}).endswith(build.preload.name)


def test_a_native_build_alone_says_that_the_command_is_missing(tmp_path):
    command = tmp_path / "a" / "b" / "c" / "d" / "bin" / "laneway"
    command.parent.mkdir(parents=True)
    shutil.copy(native.find().folder / "bin" / "laneway", command)
    said = subprocess.run([command], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert said.returncode == 127
    assert "only the native part is installed here" in said.stderr


EXAMPLE = ROOT / "examples" / "bcast.c"

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(user VERSION 1.0 LANGUAGES C)
{before}
find_package(Laneway {version} REQUIRED)
add_executable(bcast {example})
target_link_libraries(bcast PRIVATE Laneway::laneway)
"""


def broadcasts(build, program):
    """The example, on two virtual nodes: the algorithm that it names is the one that serves."""
    program.chmod(0o755)
    outcome = run(build, 4, [program], LANEWAY_NODE_SIZE=2)
    assert outcome.code == 0, outcome.told
    lines = [f"rank {rank}: values[999] = 999, served by lane" for rank in range(4)]
    assert set(outcome.output.splitlines()) == {*lines, "by default: native"}


def configured(folder, build, version="", before=""):
    """A project of a user's, configured with nothing but the folder that `laneway prefix` names."""
    (folder / "CMakeLists.txt").write_text(
        PROJECT.format(before=before, version=version, example=EXAMPLE)
    )
    prefix = command_line("prefix", "--mpi", build.id).strip()
    return subprocess.run(
        ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        env=PLAIN, capture_output=True, text=True, check=False, timeout=LIMIT,
    )  # fmt: skip


@pytest.mark.parametrize("build", BUILDS)
def test_a_cmake_project_finds_the_package(tmp_path, build):
    done = configured(tmp_path, build, version=VERSION)
    assert done.returncode == 0, done.stderr
    subprocess.run(
        ["cmake", "--build", tmp_path / "build"], capture_output=True, check=True, timeout=LIMIT
    )
    broadcasts(build, tmp_path / "build" / "bcast")


def test_a_cmake_project_is_refused_another_version_and_another_mpi_library(tmp_path):
    build = native.find()
    assert f"version: {VERSION}" in configured(tmp_path, build, version="9.0").stderr
    others = [other for other in native.installed() if other.family != build.family]
    if not others:
        pytest.skip("there is one MPI library only")
    shutil.rmtree(tmp_path / "build")
    before = f'set(MPI_C_COMPILER "{others[0].mpicc}")\nfind_package(MPI REQUIRED COMPONENTS C)'
    said = " ".join(configured(tmp_path, build, before=before).stderr.split())
    assert "this project uses another MPI library" in said
    assert "laneway prefix --mpi" in said


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="there is no pkg-config")
@pytest.mark.parametrize("build", BUILDS)
def test_pkg_config_tells_the_compiler_all_it_needs(tmp_path, build):
    prefix = command_line("prefix", "--mpi", build.id).strip()
    options = subprocess.run(
        ["pkg-config", "--cflags", "--libs", f"laneway = {VERSION}"],
        env={**PLAIN, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"},
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    subprocess.run([build.mpicc, EXAMPLE, *options, "-o", tmp_path / "bcast"], check=True)
    broadcasts(build, tmp_path / "bcast")


@pytest.mark.parametrize("place", ["", "openmpi-9.9", "lib/laneway/openmpi-9.9"])
def test_laneway_prefix_names_a_build_their_folder_or_an_environment(tmp_path, monkeypatch, place):
    there = tmp_path / place
    there.mkdir(parents=True, exist_ok=True)
    text = (native.find("openmpi").folder / "build.json").read_text()
    (there / "build.json").write_text(re.sub(r"openmpi-\d+\.\d+", "openmpi-9.9", text))
    monkeypatch.setenv("LANEWAY_PREFIX", str(tmp_path))
    assert native.find("openmpi-9.9").folder == there


@pytest.mark.full
def test_an_environment_of_its_own_gets_the_command_and_a_build(tmp_path):
    build = native.find()
    tools = f"{Path(sys.executable).parent}:{PLAIN['PATH']}"
    mpicc = f"-Ccmake.define.MPI_C_COMPILER={build.mpicc}"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", mpicc,
         "--prefix", tmp_path, "--ignore-installed", ROOT],
        env={**os.environ, "PATH": tools}, check=True, timeout=1500,
    )  # fmt: skip
    folder = tmp_path / "lib" / "laneway" / build.id
    (site,) = tmp_path.glob("lib/python3*/site-packages")
    environment = {**PLAIN, "PATH": f"{folder / 'bin'}:{PLAIN['PATH']}", "PYTHONPATH": str(site)}
    environment["LANEWAY_PREFIX"] = str(tmp_path)
    assert runs_the_command(environment) == str(folder / "lib" / build.preload.name)


# ---- the extra: published studies ----------------------------------------------------------------

EXTRA = ROOT / "packages" / "studies"


def built(folder, out):
    """The wheel and the source of a distribution's folder, without native code."""
    script = """
import sys
from scikit_build_core import build
print(build.build_wheel(sys.argv[1], {"wheel.cmake": "false"}))
print(build.build_sdist(sys.argv[1]))
"""
    said = subprocess.run(
        [sys.executable, "-c", script, out], cwd=folder, capture_output=True, text=True,
        check=True, timeout=LIMIT,
    ).stdout.splitlines()  # fmt: skip
    return [out / line for line in said if not line.startswith("***")]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The wheel and the source of the core, then those of the extra, made once for all workers.

    Builds of one folder at the same time get in each other's way.
    """
    temporary = tmp_path_factory.getbasetemp()
    out = (temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary) / "dist"
    out.mkdir(exist_ok=True)
    names = out / "names"
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not names.exists():
            made = [*built(ROOT, out), *built(EXTRA, out)]
            names.write_text("\n".join(map(str, made)))
    return [Path(name) for name in names.read_text().splitlines()]


@pytest.fixture
def installed(distributions, tmp_path):
    """Runs the command from wheels: the core's, and the extra's where it is asked for."""
    packages = Path(sysconfig.get_path("purelib"))
    for package in packages.iterdir():
        if "laneway" not in package.name:
            (tmp_path / package.name).symlink_to(package)

    def unpack(wheel):
        with zipfile.ZipFile(wheel) as content:
            content.extractall(tmp_path)  # noqa: S202 - ours

    unpack(distributions[0])

    def call(*words, program=("-m", "laneway"), extra=False, code=0, **environment):
        if extra:
            unpack(distributions[2])
        said = subprocess.run(  # -S: no editable installation, whose modules would be found first
            [sys.executable, "-S", *program, *words],
            env={**os.environ, "PYTHONPATH": str(tmp_path), **environment},
            capture_output=True, text=True, check=False, timeout=LIMIT,
        )  # fmt: skip
        assert said.returncode == code, said.stderr
        return said.stdout + said.stderr

    return call


def names_of(distribution):
    if distribution.suffix == ".whl":
        return zipfile.ZipFile(distribution).namelist()
    with tarfile.open(distribution) as content:
        return content.getnames()


def test_published_tables_are_in_the_extra_alone(distributions):
    for each in distributions[:2]:
        told = [name for name in names_of(each) if "laneway_studies" in name or "packages" in name]
        assert told == []
        assert not any(name.endswith(".csv") for name in names_of(each))
    for each in distributions[2:]:
        files = {Path(name).name for name in names_of(each)}
        tables = {table.name for table in EXTRA.rglob("*.csv")}
        modules = {module.name for module in EXTRA.rglob("*.py")}
        assert {"fugaku_imb.csv", "imb_told.py"} <= tables | modules
        assert files >= {"LICENSE", "page.html.j2", *tables, *modules}


def test_without_the_extra_the_commands_say_how_to_get_it(installed, tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    (study / "study.json").write_text("{}")
    for words in (
        ["study", "list"], ["study", "--help"], ["report", study],
        ["report", study / "x.tar.gz"], ["plot", study, "--reference", "hydra"],
    ):  # fmt: skip
        said = installed(*words, code=1)
        assert "laneway-studies is not installed; `" in said
        assert "pip install ./packages/studies` in a clone" in said
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("study mu", {"multilane"}), ("report x --reference h", {"hydra"}), ("stu", {"study"})],
)
def test_a_shell_completes_what_the_extra_has_and_hears_no_complaint(installed, typed, completed):
    asked = {"_LANEWAY_COMPLETE": "bash_complete", "COMP_WORDS": f"laneway {typed}",
             "COMP_CWORD": str(len(typed.split()))}  # fmt: skip
    without, said = (installed(extra=extra, **asked) for extra in (False, True))
    assert {line.rpartition(",")[2] for line in said.split()} == completed
    assert without.split() == (said.split() if typed == "stu" else [])


def test_without_the_extra_all_else_is_there(installed):
    assert " study  " in installed("--help")
    loaded = """
from laneway.commands import COMMANDS, Extra
print(*(each.loaded().name for each in COMMANDS if not isinstance(each, Extra)))
"""
    names = {each.name for each in COMMANDS if not isinstance(each, Extra)}
    assert {*installed(program=("-c", loaded)).split()} == names


def test_with_the_extra_studies_and_published_figures_are_there(installed, tmp_path):
    assert "Optimal MPI_ALLREDUCE" in installed("study", "list", "--json", extra=True)
    (tmp_path / "rows.jsonl").write_text("")
    said = installed("report", tmp_path, "--reference", "summit", code=2)
    assert "known: all, hydra" in said


def test_the_extra_is_of_the_version_of_the_core():
    project = tomllib.loads((EXTRA / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
    assert project["dependencies"] == [f"laneway=={VERSION}"]
    assert (EXTRA / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.fixture
def recipe(monkeypatch):
    """The recipe as Spack reads it, and the words that its directives were told, by name."""
    said, options = {}, {}

    def directive(name):
        def tell(*words, **named):
            said.setdefault(name, []).append(words)
            options[name, *words] = named

        return tell

    spack = types.ModuleType("spack.package")
    spack.PythonPackage = type("PythonPackage", (), {})
    for name in ("license", "version", "depends_on", "conflicts"):
        setattr(spack, name, directive(name))
    spack.default_args = spack.when = lambda *_, **__: contextlib.nullcontext()
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", spack)

    def read(path):
        said.clear()
        options.clear()
        return runpy.run_path(path)["Laneway"], said

    read.options = options
    return read


RECIPE = ROOT / "packaging" / "spack" / "laneway" / "package.py"


def test_the_spack_recipe_asks_for_what_the_project_asks_for(recipe):
    package, said = recipe(RECIPE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    python = {
        f"py-{name}@{least}:"
        for name, least in (re.match(r"([\w-]+)>=([\d.]+)", text).groups() for text in wanted)
    }
    needed = {words[0] for words in said["depends_on"]}
    assert {name for name in needed if name.startswith("py-")} == python
    assert f"python@{project['project']['requires-python'].removeprefix('>=')}:" in needed
    assert {"c", "cxx", "cmake@3.22:", "mpi@3.1:"} <= needed

    spec = {"mpi": types.SimpleNamespace(mpicc="/mpi/bin/mpicc")}
    settings = package().config_settings(spec, None)
    assert settings == {"cmake.define.MPI_C_COMPILER": "/mpi/bin/mpicc"}
    assert "MPI_C_COMPILER" in (ROOT / "cmake" / "MpiLibrary.cmake").read_text()


def test_the_spack_recipe_finds_its_source_in_a_clone_and_is_told_of_it_elsewhere(recipe, tmp_path):
    assert recipe(RECIPE)[0].git == str(ROOT)
    copy = tmp_path / "repository" / "packages" / "laneway" / "package.py"
    copy.parent.mkdir(parents=True)
    shutil.copy(RECIPE, copy)
    assert recipe(copy)[0].git is None


def test_the_spack_recipe_offers_the_wheels_of_its_clone_as_they_are(recipe, tmp_path):
    copy = tmp_path / "packaging" / "spack" / "laneway" / "package.py"
    copy.parent.mkdir(parents=True)
    shutil.copy(RECIPE, copy)
    _, said = recipe(copy)
    assert said["version"] == [("main",)], "no wheel was made"
    wheel = tmp_path / "dist" / "laneway-1.2.3-py3-none-manylinux_2_34_x86_64.whl"
    wheel.parent.mkdir()
    wheel.write_bytes(b"a wheel")
    _, said = recipe(copy)
    assert said["version"] == [("main",), ("1.2.3",)]
    assert recipe.options["version", "1.2.3"] == {
        "sha256": hashlib.sha256(b"a wheel").hexdigest(),
        "url": f"file://{wheel}",
        "expand": False,
    }


@pytest.mark.parametrize("builds", [["openmpi-4.1"], ["openmpi-4.1", "mpich-4.0", "abi-1"]])
def test_the_spack_recipe_shows_users_the_command_and_the_preload(recipe, tmp_path, builds):
    for name in builds:
        preload = tmp_path / "lib" / "laneway" / name / "lib" / "liblaneway_preload.so"
        preload.parent.mkdir(parents=True)
        preload.touch()
    package = recipe(RECIPE)[0]()
    package.prefix = str(tmp_path)
    variables = {}
    package.setup_run_environment(types.SimpleNamespace(set=variables.__setitem__))
    only = {"LANEWAY_PRELOAD": str(preload)} if len(builds) == 1 else {}
    assert variables == {"LANEWAY_PREFIX": str(tmp_path), **only}
