# SPDX-License-Identifier: BSD-3-Clause
"""Predicted profiles: from a machine's description to a file that jobs find."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from laneway import files
from laneway.collectives import EQUAL, OF_UNKNOWN_BYTES
from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, say
from laneway.errors import Misuse
from laneway.libraries import profile, registry
from laneway.libraries.native import NativeBuild
from laneway.libraries.profile import CommunicatorShape
from laneway.libraries.profile_header import header
from laneway.rows import NATIVE
from laneway.simulation import described as descriptions
from laneway.simulation import forecasts, machine, native
from laneway.simulation.forecasts import Scene
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.wins import MARGIN, whole, wins
from laneway.tuning import predicted
from laneway.tuning.predicted import PredictedProfile
from laneway.units import counted

CALIBRATED = "calibrated"
"""The machine that `laneway calibrate` has described last."""


DOUBTFUL = 0.3
"""How far times of messages may be off their fit, relative. With more, the machine was too busy
when it was calibrated, and predictions would be about that."""


def doubt(path: Path, ppn: int = 1) -> str:
    """The reason not to predict a calibrated machine; empty where nothing speaks against it.

    `ppn`: processes a node of the jobs that it would be predicted for. A machine that nobody has
    calibrated is taken as it is described.
    """
    shape = calibrated_shape(path)
    if shape is None:
        return ""
    found = {entry.name: entry for entry in descriptions.entries(_text(path))}
    busy = "the machine was too busy when it was calibrated"
    needed = ["lanes", "node"] if max(ppn, shape[1]) > 1 else ["lanes"]
    for table in needed:
        name = f"[{table}] bandwidth"
        # Numbers that were noise are left out of the file, and a number left out takes no time.
        if name not in found:
            alone = table == "node" and shape[1] == 1
            why = "it was calibrated with one process a node" if alone else busy
            return f"{path} has no {name}: {why}"
        off = descriptions.residual(found, table, "bandwidth")
        if off is not None and not off <= DOUBTFUL:
            return f"{name} of {path} is off the measured times by {100 * off:.1f}%: {busy}"
    return ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def described(name: str) -> Path:
    """The file of a machine; of `calibrated`, the latest that `laneway calibrate` has written.

    Raises Misuse.
    """
    if name != CALIBRATED or name in machine.names():
        return machine.file_of(name)
    written = filter(files.is_ours, machine.folder().glob("*.toml"))
    own = sorted(written, key=lambda path: path.stat().st_mtime)
    if not own:
        raise Misuse(f"no machine is calibrated in {machine.folder()}: run `laneway calibrate`")
    return own[-1]


def calibrated_shape(path: Path) -> tuple[int, int] | None:
    """Nodes and processes a node with which a machine was calibrated, as its file says."""
    return descriptions.calibrated_shape(_text(path))


def native_of(build: NativeBuild, name: str | None) -> Native:
    """The native profile of a library, or the one that is named. Raises Misuse."""
    library = native.load(name) if name else native.of_library(build.library)
    if library is None:
        raise Misuse(
            f"no profile describes what {build.library} chooses by itself. --native names that of "
            f"a similar library: {', '.join(native.names())}, or a file"
        )
    return library


def predict(
    build: NativeBuild,
    where: tuple[Machine, str],
    shape: CommunicatorShape,
    library: Native,
    margin: float = MARGIN,
    *,
    collectives: Sequence[str] = (),
    layouts: Sequence[str] = (EQUAL,),
) -> PredictedProfile:
    """Simulates all algorithms of collectives (all of them) and the library's own.

    `where` is the machine, and its name in the profile. Blocks of vector collectives have all of
    the `layouts`.

    Raises Misuse for unknown collectives, Problem.
    """
    simulated, named = where
    known = registry.collectives(build)
    for name in collectives:
        if name not in known:
            raise Misuse(f"no collective '{name}'; known: {', '.join(known)}")
    scene = Scene(simulated.with_lanes(shape.lanes), library, shape.nodes, shape.ppn, layouts)
    asked = collectives or registry.usual_collectives(build)
    sizes = {name: predicted.sizes(name, shape.ranks) for name in asked}

    standing = functools.partial(profile.standing, build, shape)
    with progress.of_parts(errors()) as told:
        found = forecasts.forecasts(scene, sizes, standing, told)
    return PredictedProfile(
        build=build.id,
        library=build.library,
        shape=shape,
        machine=named,
        native=library.name,
        margin=margin,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        wins={
            name: (whole if name in OF_UNKNOWN_BYTES else wins)(own, margin)
            for name, own in found.items()
        },
        layouts=layouts,
    )


def write(prediction: PredictedProfile, path: Path) -> bool:
    """Writes the profile to `path`, and says so; without rules it removes an earlier one.

    Returns whether there are rules. Raises Misuse for a file that somebody has changed, or for one
    of another machine where jobs find it. Raises Problem where the file cannot be written.
    """
    files.refuse_changed(path, "take another --output, or remove it")
    other = header(_text(path)).get("machine", "") if path.is_file() else ""
    if path == prediction.path and other not in ("", prediction.machine):
        raise Misuse(f"{path} was predicted for {other}, and is left as it is: take another "
                     f"--output for {prediction.machine}, or remove it")  # fmt: skip
    if not prediction.rules:
        gone = ""
        if other:  # only a profile that was predicted itself
            files.remove(path)
            gone = f"; {path}, which an earlier prediction wrote, is removed"
        shape = f"{prediction.shape.nodes} x {prediction.shape.ppn}"
        say(f"nothing gains enough on {shape}: no profile is predicted{gone}")
        return False
    files.replace(path, prediction.text())
    chosen = sum(win.algorithm != NATIVE for own in prediction.wins.values() for win in own)
    stayed = prediction.kept.rules
    kept = f"; {counted(stayed, 'rule')} of other collectives stayed" if stayed else ""
    number = prediction.rules - stayed
    say(f"predicted profile: {path}, {counted(number, 'rule')}, {chosen} of which choose "
        f"another algorithm than native{kept}")  # fmt: skip
    if path != prediction.path:
        say(f"to use it: laneway exec --profile {shlex.quote(str(path))} -- mpirun -np N ./app")
    return True


def keeping(prediction: PredictedProfile, path: Path) -> PredictedProfile:
    """The prediction with an earlier profile's rules for other collectives, as `laneway tune` does.

    Raises Misuse where the earlier one was predicted from something else.
    """
    if not files.is_ours(path):
        return prediction
    found = prediction.keeping(_text(path))
    if found is None:
        raise Misuse(
            f"{path} was predicted from something else, and its rules for other collectives would "
            "be lost: predict all of them, or take another --output"
        )
    return found


def shapes(nodes: int, ppn: int, lanes: int) -> list[CommunicatorShape]:
    """The shapes of jobs on all nodes of a machine, and on powers of two of them from 2 on."""
    fewer = [1 << power for power in range(1, nodes.bit_length()) if 1 << power < nodes]
    return [CommunicatorShape(number, ppn, lanes) for number in (*fewer, nodes) if number > 1]


def predict_calibrated(
    build: NativeBuild, path: Path, nodes: int, ppn: int, layouts: Sequence[str] = (EQUAL,)
) -> None:
    """Predicts for all shapes of the machine at `path`, as `laneway calibrate` does in the end.

    Blocks of vector collectives have all of the `layouts`.

    Profiles that cannot be predicted, or that somebody has changed, are told, and left as they are.
    Raises Problem.
    """
    if why := doubt(path, ppn):
        not_predicted(build, f"{why}. Calibrate it again; or `laneway profile predict`")
        return
    try:
        library = native_of(build, None)
    except Misuse as error:
        not_predicted(build, str(error))
        return
    calibrated = machine.load(str(path))
    for shape in shapes(nodes, ppn, calibrated.lanes):
        found = predict(build, (calibrated, named(path)), shape, library, layouts=layouts)
        try:
            write(found, found.path)
        except Misuse as error:
            say(str(error))


def not_predicted(build: NativeBuild, why: str) -> None:
    """Says why nothing is predicted, and which earlier predictions stay in force."""
    say(f"no profile is predicted: {why}")
    if earlier := sorted(predicted.folder().glob(f"{build.id}-*.conf")):
        say(f"earlier predictions stay in force: {', '.join(map(str, earlier))}")


def named(path: Path) -> str:
    """The name in profiles of the machine that a file describes: the same from every folder."""
    return str(path.absolute())
