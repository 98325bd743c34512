// SPDX-License-Identifier: BSD-3-Clause
#include "call/agree/agreed.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "library/error.hpp"
#include "library/identity.hpp"

namespace laneway {
namespace {

/// Communicators of more processes agree each time: Open MPI 4 looks up each process among all of the world.
constexpr int looked_up_at_most = 256;

std::shared_ptr<const Settings>& of_world()
{
    static auto* const settings = new std::shared_ptr<const Settings>;  // MPI may end after us
    return *settings;
}

int processes_of(MPI_Comm comm)
{
    int size = 0;
    check_raised(PMPI_Comm_size(comm, &size));
    return size;
}

/// Whether all processes of `comm` are in MPI_COMM_WORLD.
bool is_of_world(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD) return true;
    const int size = processes_of(comm);
    if (size > looked_up_at_most) return false;
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    check_raised(PMPI_Comm_group(comm, &group));
    check_raised(PMPI_Comm_group(MPI_COMM_WORLD, &world));
    std::vector<int> ranks(static_cast<std::size_t>(size)), in_world = ranks;
    std::iota(ranks.begin(), ranks.end(), 0);
    const int code = PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    check(code);
    return std::ranges::find(in_world, MPI_UNDEFINED) == in_world.end();
}

}  // namespace

std::shared_ptr<const Settings> agreed_before(MPI_Comm comm)
{
    // Sessions may outlive the world.
    return of_world() && world_is_there() && is_of_world(comm) ? of_world() : nullptr;
}

void remember_agreed(MPI_Comm comm, const std::shared_ptr<const Settings>& settings)
{
    if (of_world() || !world_is_there()) return;
    if (processes_of(comm) == processes_of(MPI_COMM_WORLD) && is_of_world(comm))
        of_world() = settings;
}

}  // namespace laneway
