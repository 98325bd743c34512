// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/datatype.hpp"

namespace laneway {

/// Which bytes the data of a type lie in.
struct Footprint {
    struct Run {
        std::int64_t first;  ///< from the address of the element on
        std::int64_t last;   ///< past the end
    };
    std::int64_t size = 0;    ///< of one element
    std::int64_t extent = 0;  ///< from one to the next
    bool dense = false;  ///< elements follow each other without gaps, in the order of a message
    std::vector<Run> pieces;  ///< in the order of a message
    std::vector<Run> sorted;  ///< where that does not ascend

    const std::vector<Run>& runs() const { return sorted.empty() ? pieces : sorted; }
};

/// The footprints of types, each found once.
class Footprints {
public:
    const Footprint& of(MPI_Datatype type);
    /// Of all but MPI's own types: their handles may come again, for other types.
    void forget_derived() { derived_.clear(); }

private:
    /// What a derived type was made from, as MPI tells it.
    struct Contents {
        int combiner = 0;
        std::vector<int> integers;
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
    };
    void look_at(MPI_Datatype type, Footprint& footprint);
    /// As `contents_`.
    void read(MPI_Datatype type);

    Contents contents_;  ///< of the latest type, for its memory
    std::deque<std::pair<std::int64_t, Footprint>> predefined_;
    std::unordered_map<std::int64_t, const Footprint*> derived_;
    std::deque<Footprint> memory_;  ///< for the derived ones, kept
};

}  // namespace laneway
