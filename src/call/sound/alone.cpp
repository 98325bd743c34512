// SPDX-License-Identifier: BSD-3-Clause
#include "call/sound/alone.hpp"

#include "call/sound/borrowed_errors.hpp"
#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "library/returning.hpp"
#include "messages/comm.hpp"

namespace laneway {
namespace {

/// Recursive, since a call on `alone` may be made when the library deletes a communicator that was freed long ago.
std::recursive_mutex mutex;
MPI_Comm alone = MPI_COMM_NULL;
bool failed = false;  ///< once is enough: the library has no communicator left
bool checks = false;  ///< the library rejects a root that no communicator of one process has

int forget(MPI_Comm, int, void*, void*)
{
    const std::scoped_lock lock(mutex);
    if (alone != MPI_COMM_NULL) real::Comm_free(&alone);
    return MPI_SUCCESS;
}

/// A communicator of the calling process alone, of a group of `comm`. Local, unlike a split of it.
MPI_Comm made_of_group(MPI_Comm comm)
{
    constexpr int tag = 0;
    int rank = 0;
    MPI_Group all = MPI_GROUP_NULL, self = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    check(PMPI_Comm_rank(comm, &rank));
    check(PMPI_Comm_group(comm, &all));
    const int code = PMPI_Group_incl(all, 1, &rank, &self);
    PMPI_Group_free(&all);
    check(code);
    PMPI_Comm_create_group(comm, self, tag, &made);
    PMPI_Group_free(&self);
    return made;
}

/// A communicator of the calling process alone, made of `bearer`. That is MPI_COMM_SELF where there is one, which can
/// be split: it takes less of the thread's stack.
MPI_Comm made_of(MPI_Comm bearer)
{
    MPI_Comm made = MPI_COMM_NULL;
    if (world_is_there())
        PMPI_Comm_split(bearer, 0, 0, &made);
    else
        made = made_of_group(bearer);
    if (made != MPI_COMM_NULL) check(return_errors(made));
    return made;
}

/// From now on `bearer` takes `alone` along when it is freed: MPI_COMM_SELF when MPI comes to its end, a
/// session's communicator before the session.
void hang_on(MPI_Comm bearer)
{
    int key = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr));
    check(PMPI_Comm_set_attr(bearer, key, nullptr));
    check(PMPI_Comm_free_keyval(&key));
}

}  // namespace

Alone::Alone(MPI_Comm comm) : lock_(mutex)
{
    if (alone != MPI_COMM_NULL || failed || Comm::is_abandoned()) return;
    if (quirks().makes_one_communicator_at_a_time && !Comm::may_be_made()) return;
    const MPI_Comm bearer = world_is_there() ? MPI_COMM_SELF : comm;
    BorrowedErrors(bearer).while_returning([&] { alone = made_of(bearer); });
    failed = alone == MPI_COMM_NULL;
    if (failed) return;
    hang_on(bearer);
    constexpr int none = 1;
    checks = real::Bcast(nullptr, 0, MPI_BYTE, none, alone) != MPI_SUCCESS;
}

MPI_Comm Alone::handle() const { return alone; }

bool Alone::checks_arguments() const { return checks; }

}  // namespace laneway
