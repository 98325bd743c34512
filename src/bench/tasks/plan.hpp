// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "bench/operations/operation.hpp"
#include "bench/options/options.hpp"

namespace laneway::bench {

/// The candidate that is whatever the settings choose for the call.
inline constexpr const char* tuned = "tuned";

/// A candidate of a comparison: an algorithm, under its own name or a label.
struct Candidate {
    std::string label;      ///< The name in rows: "lane", "native#b".
    std::string algorithm;  ///< "native", "chain(segment=8K)", "tuned"
    double delay = 1;       ///< Factor by which it is slowed down.
    std::string forced;     ///< The MPI library's own: "native:chain"; empty: none in particular.

    /// The name by which the algorithm is called; null: without a name, as applications call.
    const char* name() const { return algorithm == tuned ? nullptr : algorithm.c_str(); }

    /// Whether all others are compared with this one.
    bool is_reference() const { return algorithm == "native" && forced.empty(); }
};

/// The name of an algorithm, or of a label's algorithm, without tunables.
std::string registered_name(const std::string& label);

/// A collective with one amount of data on the first `ranks` ranks, and the algorithms to be
/// compared there.
struct Case {
    const Operation& operation;
    const ElementType& type;
    int ranks;
    int count;  ///< -1: MPI has no such count.
    Amount amount;
    std::string remark;  ///< A remark to note about the case; empty: none.
    std::vector<Candidate> candidates;
};

/// Cases that are measured by the same options.
struct Block {
    Options options;
    std::vector<Case> cases;
};

/// The block of these options. Throws as plan() does. Collective.
Block block_of(Options options, MPI_Comm comm);

/// The blocks that the options ask for, or the plan that they name, which rank 0 reads. Throws
/// Misunderstood for whatever is unknown or does not go together, alike on all ranks. Collective.
std::vector<Block> plan(const Options& options, MPI_Comm comm);

/// The plan that the options name, while blocks are added to it. Collective.
class GrowingPlan {
public:
    GrowingPlan(const Options& options, MPI_Comm comm);

    /// The blocks that come next; none: these were all. Waits for them. Throws as plan() does.
    std::vector<Block> next();

private:
    const Options& options_;
    MPI_Comm comm_;
    std::size_t known_ = 0;  ///< Bytes of the file that have been read.
};

/// Whether the options make sense on some number of ranks, without MPI. Throws Misunderstood. Blocks of a plan are not
/// looked at.
void must_make_sense(const Options& options);

}  // namespace laneway::bench
