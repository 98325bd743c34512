// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/probes/grid.hpp"
#include "bench/text/row.hpp"

/// Probes measure the machine and the MPI library, not Laneway. They are patterns of plain MPI calls that run the
/// faster the more network lanes the nodes have. Source: Traeff and Hunold, "Decomposing collectives for exploiting
/// multi-lane communication", Sections 2 and 5.
namespace laneway::bench {

/// One way to communicate, timed beside the others of its case. All elements are MPI_INT.
class Pattern {
public:
    Pattern() = default;
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;
    virtual ~Pattern() = default;

    /// Communicates once; processes without a part in it return at once. Throws Error.
    virtual void exchange() = 0;

    /// Whether the time that an exchange takes the calling process counts: that of a process that only answers does
    /// not.
    virtual bool counts() const { return true; }

    /// Whether an exchange brings the calling process what it should. Collective.
    bool verify()
    {
        reset();
        exchange();
        return correct();
    }

    /// The keys that tell its rows from those of the case's other patterns.
    virtual Row facts() const = 0;

    /// Bytes that process j of a node exchanges with other nodes at least, by one exchange, in the direction in which
    /// they are more. There is one entry a virtual lane, of the busiest node. Empty where nothing leaves a node.
    /// Alike on all ranks.
    virtual std::vector<std::int64_t> network_bytes() const = 0;

private:
    virtual void reset() = 0;  ///< Leaves no trace of a result.
    virtual bool correct() const = 0;
};

using Patterns = std::vector<std::unique_ptr<Pattern>>;

/// The case that is probed: a collective at one count.
struct ProbeCase {
    std::string collective;
    int count;
    const std::vector<int>& virtual_lanes;
};

/// A probe as the benchmark knows it. Adding one is adding a file with one object of this kind and
/// a ProbeRegistration.
struct Probe {
    const char* name;
    const char* collective;  ///< The collective that it runs unless told otherwise.
    bool any_collective;     ///< Whether it can run another one.
    int inner_repetitions;   ///< Exchanges in one repetition, unless told otherwise.

    /// The patterns to be timed side by side, at least one. Collective over the grid's world. Throws
    /// Misunderstood, alike on all ranks.
    Patterns (*patterns)(const Grid&, const ProbeCase&);
};

/// All probes, by name.
const std::vector<Probe>& probes();

/// The probe of that name. Throws Misunderstood where there is none.
const Probe& probe(const std::string& name);

struct ProbeRegistration {
    explicit ProbeRegistration(const Probe& probe);
};

}  // namespace laneway::bench
