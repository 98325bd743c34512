// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"
#include "library/error.hpp"

namespace laneway::property {

static void bcast_talks_on_users_communicator(const Bcast& call, const Decomposition& on)
{
    constexpr int tag = 1;
    const int last = on.world.size() - 1;
    native::serve(call, on.world);
    if (on.world.rank() == 0) check(PMPI_Send(nullptr, 0, MPI_BYTE, last, tag, under_test()));
}

static const RegisterWrong<Bcast> entry({.run = bcast_talks_on_users_communicator, .about = {}});

}  // namespace laneway::property
