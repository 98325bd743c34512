# SPDX-License-Identifier: BSD-3-Clause
"""Sizes, times and ratios: how they are read where somebody types them, and how they are told."""

from __future__ import annotations

import math
import re

USUAL = 2**22
"""Bytes that sizes go up to where nothing is said, as in OSU's and IMB's benchmarks."""

WIDEST = 2**40
"""Messages of more are not measured for a while."""


_FACTORS = {
    "": 1,
    "B": 1,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}
"""Bytes of a unit. src/text/text.cpp has the same, for the benchmark and profiles."""

_TIMES = {"": 1.0, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
"""Seconds of a unit, likewise."""


_MOST_DIGITS = 15
"""More digits stand for more than WIDEST, and int() reads no more than some thousand."""


def parse_size(text: str) -> int:
    """A number of bytes: 4096, 4K or 4 KiB, in letters of either case but for B; 4 kB is 4000.

    Raises ValueError, also for 4kb and 4Kib: a small b could mean bits.
    """
    word = text.strip()
    found = re.fullmatch(r"0*(\d+) ?([a-z]*)", word, re.ASCII | re.IGNORECASE)
    digits, unit = (found[1], found[2]) if found else ("", "?")
    if re.fullmatch("[kmg]?i?b", unit, re.IGNORECASE) and unit.endswith("b"):
        raise ValueError(
            f"{quoted(word)} is no size: b could mean bits; 1M is 1048576 bytes, 1MB is 1000000"
        )
    letter, rest = unit[:1].upper(), unit[1:]
    name = f"k{rest}" if (letter, rest) == ("K", "B") else f"{letter}{rest}"
    factor = _FACTORS.get(letter if rest.upper() == "IB" else name)
    if factor is None:
        raise ValueError(
            f"{quoted(word)} is no size: a number of bytes, or one such as 4K, 1M, 4 KiB"
        )
    if len(digits) > _MOST_DIGITS or int(digits) * factor > WIDEST:
        raise ValueError(f"{quoted(word)} is too large")
    return int(digits) * factor


def parse_seconds(text: str) -> float:
    """A time in seconds: 0.5, or with a unit: 10us, 1ms, 30s, 20m, 2h.

    Raises ValueError, also for 1MS and 1M: capital letters make other units of some.
    """
    word = text.strip()
    found = re.fullmatch(
        r"((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) ?([a-z]*)", word, re.ASCII | re.IGNORECASE
    )
    factor = _TIMES.get(found[2]) if found else None
    if found is None or factor is None or not math.isfinite(seconds := float(found[1]) * factor):
        capital = found is not None and found[2].lower() in _TIMES and factor is None
        why = "the units of times are in small letters, as in " if capital else ""
        raise ValueError(f"{quoted(word)} is no time: {why}0.5, 10us, 1ms, 30s, 20m or 2h")
    return seconds


def parse_sizes(text: str) -> tuple[int, ...]:
    """Bytes as laneway-bench reads them: powers of two `[MIN:][MAX]`, or a list `8,64,4K`.

    Raises ValueError.
    """
    if "," in text:
        listed = tuple(parse_size(word) for word in text.split(",") if word.strip())
        if not listed:
            raise ValueError("no size given")
        return listed
    first, colon, last = text.rpartition(":")
    least = parse_size(first) if first else 1
    most = parse_size(last) if last or not colon else USUAL
    found = [0] if least == 0 else []
    one = least or 1
    while one <= most:
        found.append(one)
        one *= 2
    if not found:
        raise ValueError(f"no size lies between {first} and {last}")
    return tuple(found)


INT = 4
"""Bytes of an int: the datatype that is measured and simulated unless another is asked for."""


def is_whole(text: str, least: int = 0) -> bool:
    """Whether digits stand for a number from `least` to 2147483647."""
    return re.fullmatch(r"\d{1,10}", text, re.ASCII) is not None and least <= int(text) < 2**31


def is_multiple(text: str) -> bool:
    """Whether a text stands for so many times the number of ranks, as laneway-bench reads it."""
    return text == "p" or (text.endswith("p") and is_whole(text.removesuffix("p")))


def count_among(ranks: int, amount: int | str) -> int:
    """A count as in the MPI call, or so many times the number of ranks: 100, 2p."""
    text = str(amount)
    return int(text.removesuffix("p") or 1) * (ranks if is_multiple(text) else 1)


_LONGEST = 80
"""Letters of a text that a message repeats."""


def quoted(text: str) -> str:
    """A text as a message repeats it: of a long one the beginning, as src/text/text.cpp has it."""
    return f"'{text[:_LONGEST]}...'" if len(text) > _LONGEST else f"'{text}'"


def rounded(value: float | None, digits: int) -> float | None:
    """A number with so many digits after the point, if there is one."""
    return None if value is None else round(value, digits)


def microseconds(time: float) -> str:
    """A time with a precision that suits its size: 0.123, 12.3, 12345."""
    digits = 3 if time < 10 else 1 if time < 1000 else 0
    return f"{time:.{digits}f}"


def duration(seconds: float) -> str:
    """A time with a unit that suits it: 71.4 us, 12.3 ms, 4.56 s."""
    factor, unit = (
        (1e6, "us") if seconds < 0.9995e-3 else (1e3, "ms") if seconds < 0.1 else (1.0, "s")
    )
    return f"{seconds * factor:.3g} {unit}" if seconds < 100 else f"{seconds:.0f} s"


def roughly(seconds: float) -> str:
    """A time that is only estimated, in words: 40 s, 12 minutes, 3.5 hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return counted(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:.1f} hours"


def in_full(seconds: float) -> str:
    """A time that somebody has set, in words: 90 s, 20 minutes."""
    minutes, rest = divmod(seconds, 60)
    return f"{seconds:.6g} s" if rest or not minutes else counted(int(minutes), "minute")


def size(count: int) -> str:
    """A number of bytes with a binary unit: 4 B, 3.91 KiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if value < 1024 or unit == "PiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.3g} {unit}"


def ratio(value: float) -> str:
    """A ratio with two digits at least: 131, 12.31, 0.52, 0.013."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def exact_size(count: int) -> str:
    """A number of bytes as `-m` and profiles take it, to the byte: 64K, 1M, 1000."""
    for unit, factor in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if count and count % factor == 0:
            return f"{count // factor}{unit}"
    return str(count)


def exact_range(least: int, most: float) -> str:
    """A range of bytes as profiles take it: 64, 64K..1M, ..63, 1M..; empty for all there are."""
    if least == most:
        return exact_size(least)
    first = exact_size(least) if least else ""
    last = exact_size(int(most)) if most < math.inf else ""
    return f"{first}..{last}" if first or last else ""


def counted(number: int, what: str) -> str:
    """A number of things: 1 lane, 2 lanes, 2 processes."""
    ending = "" if number == 1 else "es" if what.endswith("s") else "s"
    return f"{number} {what}{ending}"


def shape_in_words(nodes: int, ppn: int, kind: str = "node") -> str:
    """Where a job runs, in words: 4 nodes x 1 rank."""
    return f"{counted(nodes, kind)} x {counted(ppn, 'rank')}"
