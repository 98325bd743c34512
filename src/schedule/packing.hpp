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
    std::int64_t elements;  ///< elements of a step, the least that is packed together
    std::int64_t step_bytes;
    Stretch out, in;  ///< elements: see Packing
};

/// Makes packing and unpacking operations of a program, for as much at a time as its other operations need. Data
/// about to leave are packed, and data that have come are unpacked while other messages are under way. Messages and
/// children are cut at units, so two of them may have an element in common. That is why all of it is done in strand
/// 0. There, a fork counts as the use of all that its child uses, and a join as the end of all that it writes. Data
/// that nothing uses are not packed, and data that nothing writes to are not unpacked: they stay as they are.
void add_packing(Program& program, const std::vector<PackedData>& data, Footprints& types);

}  // namespace laneway
