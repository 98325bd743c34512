// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/catalogue.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// An MPI library that is only described. Where a decomposition has one, its collectives serve what would be left to
/// a library, while that is recorded. The mock-ups of Traeff and Hunold 2020 (Section 3) work so: they call the
/// library on nodes and lanes.
class DescribedLibrary {
public:
    virtual ~DescribedLibrary() = default;
    /// Serves a call. Vector collectives have blocks that differ by an element at most.
    virtual void serve(const AnyCall& call, const Comm& comm) const = 0;
    /// One of its quirks (library/quirks.hpp).
    virtual bool slow_in_pairs() const = 0;
};

/// The library of a decomposition, if it is described.
struct Described {
    const DescribedLibrary* library = nullptr;  ///< null: the library is a real one.
    /// Whether short components are the library's, too, as in mock-ups and within its own calls; else they are ours,
    /// as in a program.
    bool short_too = true;
};

}  // namespace laneway
