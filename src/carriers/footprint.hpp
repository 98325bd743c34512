// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/datatype.hpp"

namespace laneway {

/// Which bytes the data of a type lie in.
struct Footprint {
    struct Run {
        std::int64_t first;  ///< from the address of the element on
        std::int64_t last;   ///< past the end
    };
    std::int64_t size;    ///< of one element
    std::int64_t extent;  ///< from one to the next
    bool dense;  ///< elements follow each other without gaps, their bytes in the order of a message
    std::vector<Run> runs;
};

/// The footprints of types, each found once. Types must live as long.
class Footprints {
public:
    const Footprint& of(MPI_Datatype type);

private:
    std::unordered_map<std::int64_t, Footprint> known_;
};

/// Memory that a message or a step uses: `count` elements of a type.
struct Use {
    std::intptr_t address;
    std::int64_t count;
    const Footprint* type;
    bool writes;

    /// Its first byte, and the one past its last.
    std::pair<std::intptr_t, std::intptr_t> hull() const;
    bool overlaps(const Use& other) const;
    bool conflicts(const Use& other) const { return (writes || other.writes) && overlaps(other); }
};

/// Memory of one rank that messages under way use: nothing else may write to it, nor read what they write.
class Claims {
public:
    /// One of those that conflict with `use`; null: none does.
    const Use* conflict(const Use& use) const;
    using ByStart = std::multimap<std::intptr_t, Use>;
    struct Ticket {
        bool dense = true;
        ByStart::iterator place = {};
    };
    Ticket add(const Use& use);
    void remove(Ticket ticket) { (ticket.dense ? dense_ : gapped_).erase(ticket.place); }

private:
    /// `longest`: of their hulls.
    static const Use* conflict(const ByStart& claims, std::intptr_t longest, const Use& use);

    // Apart, as what has gaps may reach far: then few of the others need be looked at.
    ByStart dense_, gapped_;
    std::intptr_t longest_dense_ = 0, longest_gapped_ = 0;
};

}  // namespace laneway
