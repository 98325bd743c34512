# SPDX-License-Identifier: BSD-3-Clause
"""Finding out which algorithm serves which call best, within a budget of time.

`stage` is the work that is measured in one go. `race` decides from times which contestants go on
and where else to look. `tuner` spends the budget on stages and ends with confirmed rules.
"""
