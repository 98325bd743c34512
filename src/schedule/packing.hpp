// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "data/footprint.hpp"
#include "messages/wire.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// Data of the caller's that a program uses in packed form.
struct PackedData {
    void* start;            ///< symbolic address of the packed form
    std::int64_t elements;  ///< a step: what is packed together at least
    std::int64_t step_bytes;
    Stretch out, in;  ///< elements: see Packing
};

/// Makes packing and unpacking operations of a program, for as much at a time as its other operations need: what is
/// about to leave is packed, what has come is unpacked while other messages are under way. Messages and children are cut at
/// units, so two of them may have an element in common; that is why all of it is done in strand 0, where a fork
/// counts as the use of all that its child uses, and a join as the end of all that it writes. What nothing uses is not
/// packed, what nothing writes to not unpacked: it stays as it is.
void add_packing(Program& program, const std::vector<PackedData>& data, Footprints& types);

}  // namespace laneway
