# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that stand still: what `laneway exec --watch` and `laneway hang` find out and say.

`file` reads what a process's flight recorder wrote, `processes` finds the recorders of a node,
`node` is the process that watches one. `account` is what a node tells of a process. `world` puts
the accounts of a job together. `matching` finds calls that do not match, `judging` who waits for
whom, `telling` has words for it. `exchange` is how nodes are asked, `watch` is the watch of a job,
`beside` starts it, and `jobs` finds those that run here.
"""
