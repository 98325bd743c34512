// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "library/error.hpp"
#include "library/real.hpp"

namespace laneway {

/// How long processes wait for the last one of a communicator, where calls are timed.
class Meeting {
public:
    /// Returns when all processes have come. Collective. Returns the seconds that this one has waited for the last one.
    /// The barrier's own time is no waiting: it is that of a barrier in which nobody is late.
    double meet(MPI_Comm comm)
    {
        const double met = barrier(comm);
        if (is_measured(++calls_)) least_ = std::min(least_, barrier(comm));
        return std::max(0.0, met - least_);
    }

private:
    static double barrier(MPI_Comm comm)
    {
        const double began = PMPI_Wtime();
        check_raised(real::Barrier(comm));
        return PMPI_Wtime() - began;
    }

    /// Whether the barrier itself is measured in the call of that number: in some calls, but never for long in none.
    static bool is_measured(std::uint64_t number)
    {
        return number <= 8 || std::has_single_bit(number);
    }

    std::uint64_t calls_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace laneway
