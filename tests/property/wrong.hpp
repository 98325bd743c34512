// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "collectives/algorithm.hpp"

/// Deliberately wrong algorithms, one a file in wrong/: the tests must catch every one of them.
/// They are registered only on demand.
namespace laneway::property {

inline std::vector<std::function<void()>>& wrong_algorithms()
{
    static std::vector<std::function<void()>> entries;
    return entries;
}

/// Before the registry is first read.
inline void register_wrong()
{
    for (const auto& entry : wrong_algorithms()) entry();
}

/// The communicator under test, which no right algorithm can know.
inline MPI_Comm& under_test()
{
    static MPI_Comm comm = MPI_COMM_NULL;
    return comm;
}

/// As Register, when register_wrong() is called.
template <class Call>
struct RegisterWrong {
    RegisterWrong(const Algorithm& algorithm,
                  const std::source_location& file = std::source_location::current())
    {
        wrong_algorithms().emplace_back([=] { const Register<Call> entry(algorithm, file); });
    }
};

}  // namespace laneway::property
