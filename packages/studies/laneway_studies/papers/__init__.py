# SPDX-License-Identifier: BSD-3-Clause
"""One study, one module, under whose name it is called; it says what it is in STUDY."""
