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

/// The MPI library's own algorithms, one by one. Control variables say which one serves: Open MPI (coll/tuned) looks
/// at them when a communicator is made, MPICH in each call.
namespace laneway::bench {

/// The beginning of such an algorithm's name, "native:binomial".
inline constexpr std::string_view native_prefix = "native:";

/// The name of all such algorithms of a collective together.
inline constexpr std::string_view all_native = "native:*";

/// Whether a label or an algorithm is one of the library's own.
inline bool is_forced(std::string_view name) { return name.starts_with(native_prefix); }

/// Has Open MPI 4 look at its control variables at all, unless the environment forbids it. To be called before MPI is
/// initialised. Where these variables have no value, Open MPI's own decisions stay as they are.
void permit_forcing();

/// The library's own algorithms of a collective, "native:binomial" among them, in the library's order. Empty where
/// the library cannot be told which one to use.
std::vector<std::string> native_algorithms(const std::string& collective);

/// A row about each of these algorithms of a collective. It has the library's number for the algorithm, none for a
/// component, and the presets of its tunables.
std::vector<Row> native_rows(const std::string& collective);

/// One of these algorithms, with communicators on which it serves a collective.
class Forced {
public:
    Forced() = default;  ///< No algorithm in particular.

    /// An algorithm by its name, as "native:chain(segmentsize=8K)". Throws Misunderstood for what the library does
    /// not have.
    Forced(const std::string& collective, const std::string& algorithm);

    /// Makes copies of communicators, on which the algorithm serves. The copies return errors: some algorithms serve
    /// two processes only. Collective over the communicators.
    void copy(const std::vector<MPI_Comm>& comms);

    const std::vector<MPI_Comm>& comms() const { return comms_; }

    /// Why the algorithm is not to be tried on the copies, with a result of so many bytes; nothing: it may be tried.
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
    std::string component_;  ///< Open MPI's component that is to serve where it can; empty: any.
    std::vector<MPI_Comm> comms_;
};

}  // namespace laneway::bench
