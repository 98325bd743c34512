#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: lint.sh [--fix] [python|modules|prose|format|tidy|shell]...
# Checks the sources with the tools that `make lint` puts into .venv: everything, or only the
# named part. `modules` asks which of them include which, `prose` whether pages and comments are plain.
# What others wrote (third_party) is left as it is. A tool that finds something does not keep the
# others from running. With --fix, repairs what the tools can repair. `tidy` reads the compile
# commands of a build, so that one must have been configured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/.venv/bin:$PATH

fix=''
if [[ ${1:-} == --fix ]]; then
    fix=yes
    shift
fi

failed=0
run() {
    printf '+ %s\n' "$*" >&2
    "$@" || failed=1
}

# The tracked and the new files of the given patterns.
sources() {
    git ls-files --cached --others --exclude-standard --deduplicate -- "$@" ':!third_party' |
        while read -r file; do [[ -f $file ]] && echo "$file"; done
}

python() {
    if [[ $fix ]]; then
        run ruff check --fix-only
        run ruff format
    else
        run ruff format --check
        run ruff check
        run mypy
        run lint-imports --no-cache
        run scripts/names.py
    fi
}

modules() {
    if [[ $fix ]]; then return; fi
    run scripts/modules.py
}

prose() {
    if [[ $fix ]]; then return; fi
    run scripts/prose.py
}

format() {
    local files
    mapfile -t files < <(sources '*.c' '*.cpp' '*.h' '*.hpp')
    if [[ $fix ]]; then
        run clang-format -i "${files[@]}"
    else
        run clang-format --dry-run -Werror "${files[@]}"
    fi
}

tidy() {
    if [[ $fix ]]; then return; fi # its repairs need an eye on them
    local files build
    # The build in which files are not compiled together.
    build=$(find build -mindepth 2 -maxdepth 2 -path '*-strict/*' -name compile_commands.json | sort | head -n 1)
    [[ $build ]] || { echo "lint: nothing is configured yet; run \`make lint\`" >&2; exit 1; }
    mapfile -t files < <(sources 'src/*.c' 'src/*.cpp')
    echo "+ clang-tidy -p ${build%/*} (${#files[@]} files)" >&2
    printf '%s\0' "${files[@]}" |
        xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "${build%/*}" --quiet \
            --extra-arg=-Wno-unknown-warning-option || failed=1
}

shell() {
    local files
    if [[ $fix ]]; then return; fi
    mapfile -t files < <(sources 'scripts/*.sh' '.ci/run')
    run shellcheck "${files[@]}"
}

if (($# == 0)); then set -- python modules prose format tidy shell; fi
for part in "$@"; do
    case $part in
    python) python ;;
    modules) modules ;;
    prose) prose ;;
    format) format ;;
    tidy) tidy ;;
    shell) shell ;;
    *)
        echo "lint: no part $part" >&2
        exit 2
        ;;
    esac
done
exit "$failed"
