# SPDX-License-Identifier: BSD-3-Clause
"""The toolkit around the Laneway library: compare, show and switch on multi-lane collectives."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: most commands never do."""
    if name != "__version__":
        raise AttributeError(f"module 'laneway' has no attribute '{name}'")
    from importlib.metadata import (  # noqa: PLC0415 - slow to load
        PackageNotFoundError,
        version,
    )

    try:
        return version("laneway")
    except PackageNotFoundError:  # used from the source tree, without being installed
        return "0+unknown"
