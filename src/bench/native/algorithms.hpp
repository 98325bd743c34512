// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/native/control.hpp"
#include "bench/text/row.hpp"

/// The MPI library's own algorithms, one by one. Which one serves is said by control variables:
/// Open MPI (coll/tuned) looks at them when a communicator is made, MPICH in each call.
namespace laneway::bench {

/// Such an algorithm is called "native:binomial",
inline constexpr std::string_view native_prefix = "native:";

/// and all of a collective together so.
inline constexpr std::string_view all_native = "native:*";

/// Whether a label or an algorithm is one of them.
inline bool is_forced(std::string_view name) { return name.starts_with(native_prefix); }

/// Has Open MPI 4 look at its control variables at all, unless the environment forbids it. To be
/// called before MPI is initialised. Without a value in them, its own decisions stay as they are.
void permit_forcing();

/// Those of a collective, "native:binomial" among them, in the library's order. Empty where the
/// library cannot be told.
std::vector<std::string> native_algorithms(const std::string& collective);

/// A row about each of them of a collective: with the library's number for it, none for a component,
/// and with the presets of its tunables.
std::vector<Row> native_rows(const std::string& collective);

/// One of them, with communicators on which it serves a collective.
class Forced {
public:
    Forced() = default;  ///< None in particular.

    /// "native:chain(segmentsize=8K)". Throws Misunderstood for what the library does not have.
    Forced(const std::string& collective, const std::string& algorithm);

    /// Makes copies of communicators, on which it serves, and which return errors: some serve two
    /// processes only. Collective over them.
    void copy(const std::vector<MPI_Comm>& comms);

    const std::vector<MPI_Comm>& comms() const { return comms_; }

    /// Why it is not to be tried on the copies, with a result of so many bytes, if anything speaks against it.
    std::optional<std::string> danger(std::size_t bytes) const;

    /// Frees the copies. Collective.
    void free();

    /// While it lives, calls on `comms` are served by the algorithm.
    class Hold {
    public:
        explicit Hold(const Forced& of);
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold();

    private:
        const Forced& forced_;
        std::vector<int> before_;
    };

private:
    struct Setting {
        Control control;
        int value;
    };

    void tune(const std::string& variable, const std::string& algorithm);

    std::string collective_, name_;
    std::vector<Setting> settings_;
    std::string component_;  ///< Of Open MPI, that is to serve where it can; empty: any.
    std::vector<MPI_Comm> comms_;
};

}  // namespace laneway::bench
