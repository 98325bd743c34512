# SPDX-License-Identifier: BSD-3-Clause
"""How results are shown.

`figures` are the tables behind all of it, `table` and `averages` print to the terminal, `plot`
draws files. `report` makes the HTML page, and `caveats` says what figures cannot show. `diagram`
holds curves as data, such as those of `latency_models`, and `drawing` draws them.
"""
