# SPDX-License-Identifier: BSD-3-Clause
"""The toolkit around the Laneway library: compare, show and switch on multi-lane collectives."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("laneway")
except PackageNotFoundError:  # used from the source tree, without being installed
    __version__ = "0+unknown"
