# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries, and what Laneway's builds for them tell.

`native` finds the builds, `registry` lists their algorithms, `profile` has them read profiles.
`identity` is which library a launcher belongs to, `quirks` what is known of single versions.
"""
