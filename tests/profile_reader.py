# SPDX-License-Identifier: BSD-3-Clause
"""A second reader of profiles, by docs/profiles.md: what the library's is held against."""

import datetime as dt
import re

INTEGER = 2**31 - 1
LONG = 2**63 - 1
NUMBER = re.compile(r"([0-9]+)(?:(K|M|G)(?:iB)?)?")
FACTORS = {None: 1, "K": 2**10, "M": 2**20, "G": 2**30}
CONDITIONS = ("ranks", "nodes", "ppn", "lanes")
SCOPES = ("node", "lane")
HEADER = ("library", "shape", "elsewhere", "predicted", "tuned", "measured", "machine", "native",
          "margin", "simulated", "quirks", "stand-in")  # fmt: skip


class NonsenseError(Exception):
    """A line that must not be accepted."""


def must(condition):
    if not condition:
        raise NonsenseError


def words(text):
    """The words of a text: blanks outside parentheses separate them."""
    found, depth = [""], 0
    for letter in text:
        if letter in " \t\r" and depth <= 0:
            found.append("")
            continue
        depth += (letter == "(") - (letter == ")")
        found[-1] += letter
    return [word for word in found if word]


def number(text, least, most, *, of_bytes):
    found = NUMBER.fullmatch(text)
    must(found and (of_bytes or not found[2]))
    value = int(found[1]) * FACTORS[found[2]]
    must(least <= value <= most)
    return value


def limits(name, text):
    """Least and most of a condition; no most: none."""
    least, most = (0, LONG) if name == "bytes" else (1, INTEGER)
    low, dots, high = text.partition("..")
    must(low or high)
    ends = [
        number(end, least, most, of_bytes=name == "bytes") if end else otherwise
        for end, otherwise in ((low, least), (high if dots else low, most))
    ]
    must(ends[0] <= ends[1])
    return None if ends == [least, most] else [ends[0], ends[1] if ends[1] < most else None]


def conditions(given, known):
    found = {}
    names = [word.partition("=")[0] for word in given]
    must(len(names) == len(set(names)))
    for name, _, value in (word.partition("=") for word in given):
        must(name in known)
        if name == "layout":
            must(value in ("regular", "irregular"))
            found[name] = value
        elif name == "binding":
            must(value in ("lane", "all", "one"))
            found[name] = value
        elif (ends := limits(name, value)) is not None:
            found[name] = ends
    return found


class Reader:
    """Reads the lines of one profile; `registry`: tunables by collective and algorithm."""

    def __init__(self, registry):
        self.registry = registry
        self.said = set()
        self.has_rules = False

    def target(self, name):
        """Collective, and whether it is of a component."""
        collective, at, scope = name.partition("@")
        must(not at or scope in SCOPES)
        if not at:
            for known in self.registry:
                if collective in (f"i{known}", f"{known}_init"):
                    return known, False
        must(collective in self.registry)
        return collective, bool(at)

    def choice(self, collective, text):
        name, parenthesis, inside = text.partition("(")
        algorithms = self.registry[collective]
        must(name.strip(" \t\r") in algorithms)
        declared = algorithms[name.strip(" \t\r")]
        tunables = {each["name"]: each["preset"] for each in declared.values()}
        if parenthesis:
            must(inside.endswith(")") and "(" not in inside and inside.count(")") == 1)
            given = [each.partition("=") for each in inside[:-1].split(",")]
            if given[-1][0] == "" and not given[-1][1]:
                given.pop()  # chain(segment=4K,) and chain()
            names = [each.strip(" \t\r") for each, *_ in given]
            must(len(names) == len(set(names)) and set(names) <= set(declared))
            for each, (*_, value) in zip(names, given, strict=True):
                known = declared[each]
                tunables[each] = number(
                    value.strip(" \t\r"), known["least"], known["most"],
                    of_bytes=known["unit"] == "bytes",
                )  # fmt: skip
        return {"algorithm": name.strip(" \t\r"), "tunables": tunables}

    def line(self, text):
        """The meaning of a line: a rule, or None for another statement. Raises NonsenseError."""
        first, *rest = words(text)
        if first in HEADER:
            must(not self.has_rules and rest)
            must(first == "shape" or first not in self.said)
            self.said.add(first)
            self.header(first, rest)
            return None
        if first == "lanes" or first.startswith("lanes="):
            repeated = "lanes" in self.said
            self.said.add("lanes")
            must(not repeated and first == "lanes" and len(rest) in (1, 3))
            lanes = number(rest[0], 1, 1024, of_bytes=False)
            if len(rest) == 3:
                must(rest[1] == "weights")
                usual, *others = rest[2].split(",")
                named = [other.partition("=") for other in others]
                for row in (usual, *(row for _, _, row in named)):
                    weights = [number(each, 0, 10_000, of_bytes=False) for each in row.split(":")]
                    must(len(weights) == lanes and any(weights))
                nodes = [node for node, _, _ in named]
                must(all(nodes) and len({*nodes}) == len(nodes))
            return None
        self.has_rules = True
        if first == "undecided":
            must(rest)
            self.target(rest[0])
            conditions(rest[1:], (*CONDITIONS, "layout", "binding", "bytes"))
            return None
        return self.rule(first, rest)

    def header(self, first, rest):
        if first == "shape":
            conditions(rest, (*CONDITIONS, "binding"))
        elif first == "elsewhere":
            must(rest in (["use"], ["ignore"]))
        elif first == "quirks":
            must(rest in (["MPICH"], ["Open", "MPI"]))
        elif first == "margin":
            must(re.fullmatch(r"0*[1-9][0-9]*(\.[0-9]*)?", "".join(rest)) and len(rest) == 1)
        elif first == "simulated":
            must(len({*rest}) == len(rest) and {*rest} <= {*self.registry})
        elif first in ("predicted", "tuned", "measured"):
            must("lanes" not in self.said or first != "predicted")
            must(len(rest) == 1)
            must(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", rest[0]))
            try:
                dt.date.fromisoformat(rest[0])
            except ValueError:
                raise NonsenseError from None

    def rule(self, first, rest):
        collective, is_component = self.target(first)
        must("use" in rest)
        place = rest.index("use")
        told = [
            word.partition("=") for word in rest[:place] if word.partition("=")[0] == "inferred"
        ]
        must(len(told) < 2)
        must(not told or told[0][1:] == ("", "") or told[0][2])
        others = [word for word in rest[:place] if word.partition("=")[0] != "inferred"]
        where = conditions(others, (*CONDITIONS, "layout", "binding", "bytes"))
        chosen, *others = rest[place + 1 :] or [""]
        must(chosen)
        rule = {"collective": first, "where": where, **self.choice(collective, chosen)}
        rule |= {"inferred": told[0][2]} if told else {}
        must(not others or (others[0] == "with" and len(others) > 1 and not is_component))
        parts = {}
        for name, _, part in (word.partition("=") for word in others[1:]):
            own, belongs = self.target(name)
            must(belongs and name not in parts)
            parts[name] = self.choice(own, part)
        return {**rule, "components": parts}
