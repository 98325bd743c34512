# SPDX-License-Identifier: BSD-3-Clause
"""What administrators get: the module file, the folder for profiles, the Spack recipe."""

import re
import runpy
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from jobs import ROOT
from laneway import native

VERSION = re.search(r"project\(laneway VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

LOADED = """
proc module-whatis {text} {}
proc prepend-path {name path} { puts "$name $path" }
proc setenv {name value} { puts "$name $value" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
"""


@pytest.mark.skipif(shutil.which("tclsh") is None, reason="there is no tclsh to read it")
def test_the_module_file_names_what_is_there(tmp_path):
    build = native.find()
    path = build.folder / "share" / "laneway" / "modulefiles" / "laneway" / VERSION
    script = tmp_path / "load.tcl"
    script.write_text(LOADED)
    said = subprocess.run(
        ["tclsh", script, path], capture_output=True, text=True, check=True, timeout=30
    ).stdout
    told = dict(line.split(" ", 1) for line in said.splitlines())
    assert Path(told["LANEWAY_PRELOAD"]) == build.preload
    assert set(told) >= {"PATH", "LD_LIBRARY_PATH", "CPATH", "LANEWAY_PROFILE_DIR"}
    assert all(Path(place).exists() for place in told.values()), told
    assert "LD_PRELOAD" not in told


def test_the_spack_recipe_builds_what_cmake_knows(monkeypatch):
    said = {}

    def directive(name):
        return lambda *words, **_: said.setdefault(name, []).append(words)

    spack = types.ModuleType("spack.package")
    spack.CMakePackage = type("CMakePackage", (), {"define": lambda _, k, v: f"-D{k}={v}"})
    for name in ("license", "version", "depends_on", "conflicts"):
        setattr(spack, name, directive(name))
    spack.join_path = lambda *parts: "/".join(parts)
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    recipe = runpy.run_path(ROOT / "packaging" / "spack" / "laneway" / "package.py")["Laneway"]

    assert Path(recipe.git) == ROOT
    needed = {words[0].partition("@")[0] for words in said["depends_on"]}
    assert needed == {"c", "cxx", "cmake", "mpi"}
    package = recipe()
    package.spec = {"mpi": types.SimpleNamespace(mpicc="/mpi/bin/mpicc")}
    (option,) = package.cmake_args()
    assert option == "-DMPI_C_COMPILER=/mpi/bin/mpicc"
    assert "MPI_C_COMPILER" in (ROOT / "cmake" / "MpiLibrary.cmake").read_text()

    variables = {}
    package.prefix = types.SimpleNamespace(lib="/prefix/lib", etc="/prefix/etc")
    package.setup_run_environment(types.SimpleNamespace(set=variables.__setitem__))
    assert variables["LANEWAY_PRELOAD"] == "/prefix/lib/liblaneway_preload.so"
