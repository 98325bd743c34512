# SPDX-License-Identifier: BSD-3-Clause
"""Times that other benchmarks printed, as rows."""

from laneway.results.imports.read import Parsed, import_files, parse

__all__ = ["Parsed", "import_files", "parse"]
