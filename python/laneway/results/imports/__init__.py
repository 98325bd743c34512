# SPDX-License-Identifier: BSD-3-Clause
"""Times that other benchmarks printed, as rows."""

from laneway.results.imports.read import import_files, parse

__all__ = ["import_files", "parse"]
