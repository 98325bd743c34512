# SPDX-License-Identifier: BSD-3-Clause
"""Published studies, done again: what others have printed beside what is measured or simulated.

`study` has the words of it: study, point, part, section, comparison. `papers` has the studies, a
module each, which `registry` finds by their names; to add a study is to add its module there.
`simulated` finds points on machines that are described, and keeps them. `folder` is what a study
leaves, `archive` the same in one file, `report` its page, `told` what is printed. `agreement` says
how near ours come. `figures` has what was published. `command` is `laneway study`, which the core
finds by an entry point, as it does the published times of `figures`.
"""
