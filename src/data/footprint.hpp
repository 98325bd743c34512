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

/// The bytes that the data of a type lie in.
struct Footprint {
    struct Run {
        std::int64_t first;  ///< from the address of the element on
        std::int64_t last;   ///< past the end
    };
    std::int64_t size = 0;    ///< bytes of one element
    std::int64_t extent = 0;  ///< bytes from one element to the next
    bool dense = false;  ///< elements follow each other without gaps, in the order of a message
    std::vector<Run> pieces;  ///< in the order of a message
    std::vector<Run> sorted;  ///< in ascending order, where `pieces` are not

    const std::vector<Run>& runs() const { return sorted.empty() ? pieces : sorted; }
};

/// The footprints of types, each found once.
class Footprints {
public:
    const Footprint& of(MPI_Datatype type);
    /// Forgets all but MPI's own types: handles of other types may come again, for other types.
    void forget_derived() { derived_.clear(); }

private:
    /// The arguments that a derived type was made from, as MPI tells them.
    struct Contents {
        int combiner = 0;
        std::vector<int> integers;
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
    };
    void look_at(MPI_Datatype type, Footprint& footprint);
    /// Reads the contents of a type into `contents_`.
    void read(MPI_Datatype type);

    Contents contents_;  ///< the latest type's, kept for its memory
    std::deque<std::pair<std::int64_t, Footprint>> predefined_;
    std::unordered_map<std::int64_t, const Footprint*> derived_;
    std::deque<Footprint> memory_;  ///< memory for the derived ones, kept
};

}  // namespace laneway
