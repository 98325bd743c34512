# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of mpirun and mpiexec: where in them a program begins."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

_VALUES = {
    "openmpi": {
        1: "n np c N npernode npersocket H host hostfile machinefile default-hostfile x wdir wd "
        "path prefix rf rankfile map-by rank-by bind-to cpu-set cpu-list slot-list cpus-per-proc "
        "cpus-per-rank output-filename output-directory output stdin timeout tune am personality "
        "launch-agent max-restarts max-vm-size ompi-server server-wait-time report-uri report-pid "
        "debugger dvm-uri display runtime-options",
        2: "mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca",
    },
    "mpich": {
        1: "n np f hosts host hostlist wdir path envlist genvlist launcher bootstrap "
        "launcher-exec bootstrap-exec rmk ppn perhost iface bind-to map-by membind topolib "
        "prepend-pattern outfile-pattern errfile-pattern nameserver demux localhost usize "
        "gpus-per-proc gpu-subdevs-per-proc order-nodes pmi-version",
        2: "env genv",
    },
}
"""Options of the launchers of each family by the number of words that follow them."""


def programs(words: Sequence[str], family: str) -> list[int] | None:
    """The places of the programs in the command line of a family's launcher.

    There are several where colons separate parts, as in `-n 1 ./a : -n 2 ./b`. None where there is
    no telling: a part names no program that is found here.
    """
    following = {
        option: count for count, options in _VALUES[family].items() for option in options.split()
    }
    found: list[int] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word.startswith("-"):
            place += 1 + (0 if "=" in word else following.get(word.lstrip("-"), 0))
        elif shutil.which(word) is None:
            return None
        else:
            found.append(place)
            while place < len(words) and words[place] != ":":
                place += 1
            place += 1
    return found or None
