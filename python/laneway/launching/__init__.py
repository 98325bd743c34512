# SPDX-License-Identifier: BSD-3-Clause
"""Where jobs run, and how they are started and watched.

`launchers` are mpirun and srun with their command lines, `run` is a job under way. `place` says on
which nodes jobs run, `allocation` finds or makes those that a command line asks for. `batch` writes
job scripts. `this_machine` is the one that all this happens on.
"""
