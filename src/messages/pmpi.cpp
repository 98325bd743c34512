// SPDX-License-Identifier: BSD-3-Clause
#include "messages/pmpi.hpp"

#include "data/packing.hpp"
#include "data/recording.hpp"
#include "library/error.hpp"
#include "library/operators.hpp"
#include "library/users.hpp"

namespace laneway::pmpi {
bool is_commutative(MPI_Op op)
{
    if (is_predefined(op)) return true;
    int commutative = 0;
    check(PMPI_Op_commutative(op, &commutative));
    return commutative != 0;
}

int reduced(const void* left, void* result, int count, MPI_Datatype type, MPI_Op op)
{
    // All elements of a type without data or extent lie at one address, which MPICH takes for aliasing.
    if (left == result && size_of(type) == 0) return MPI_SUCCESS;
    int code = MPI_SUCCESS;
    users::keep([&] { code = PMPI_Reduce_local(left, result, count, type, op); });
    return code;
}

void reduce_local(const Buffer& left, const Buffer& result, MPI_Op op)
{
    if (result.count == 0) return;  // a lane's share may be empty
    if (Recording* const recording = Recording::current()) return recording->reduce(left, result);
    check(reduced(left.data, result.data, narrow(result.count), result.type, op));
}

void copy(const Buffer& from, const Buffer& to, const Comm& comm)
{
    if (Recording* const recording = Recording::current()) return recording->copy(from, to);
    if (const auto code = copied(from, to, comm.travels_on())) return check(*code);
    const int tag = comm.tag_of(0);
    const int self = comm.world_rank(comm.rank());
    check(PMPI_Sendrecv(from.data, narrow(from.count), from.type, self, tag, to.data,
                        narrow(to.count), to.type, self, tag, comm.travels_on(),
                        MPI_STATUS_IGNORE));
}

}  // namespace laneway::pmpi
