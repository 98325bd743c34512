# SPDX-License-Identifier: BSD-3-Clause
"""Laneway under a program that knows nothing of it: what `laneway exec` does.

`exec` puts the preload under a command, `mpirun` reads the launcher's command line, `forwarding`
gives variables to its ranks. `linked` looks at programs, `misfits` tells what cannot be served,
`marks` which processes ran without. `supervise` runs the command as if it were called directly.
"""
