// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "core/calls.hpp"
#include "mpi/wire.hpp"

/// The collectives as the application calls them (see core/run.hpp for what each class promises).
namespace laneway {

struct BcastFront {
    using Call = Bcast;
    void* buffer;
    int count;
    MPI_Datatype datatype;
    int root;
    MPI_Comm comm;

    int native() const { return PMPI_Bcast(buffer, count, datatype, root, comm); }

    bool acceptable(int size) const
    {
        return count >= 0 && datatype != MPI_DATATYPE_NULL && root >= 0 && root < size;
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        const std::int64_t bytes = count * size_of(datatype);
        if (bytes == 0) return true;
        const auto unit = Unit::dividing(bytes, 1);
        if (!unit) return false;

        Wire wire(Buffer::of(buffer, count, datatype), *unit, world.handle());
        if (world.rank() == root) wire.pack();
        const bool served = serve(Bcast{wire.buffer(), root});
        if (served && world.rank() != root) wire.unpack();
        return served;
    }
};

struct AllreduceFront {
    using Call = Allreduce;
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    int native() const { return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); }

    bool acceptable(int) const
    {
        return count >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL;
    }

    template <class Serve>
    bool in_wire_form(const Comm&, const Serve& serve) const
    {
        if (count == 0) return true;
        const Buffer result = Buffer::of(recvbuf, count, datatype);
        const Buffer input =
            sendbuf == MPI_IN_PLACE ? result : Buffer::of(sendbuf, count, datatype);
        return serve(Allreduce{input, result, op});
    }
};

struct AllgatherFront {
    using Call = Allgather;
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    int native() const
    {
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    }

    bool acceptable(int) const
    {
        const bool input =
            sendbuf == MPI_IN_PLACE || (sendcount >= 0 && sendtype != MPI_DATATYPE_NULL);
        return input && recvcount >= 0 && recvtype != MPI_DATATYPE_NULL;
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        const std::int64_t bytes = recvcount * size_of(recvtype);
        if (bytes == 0) return true;
        const auto unit = Unit::dividing(bytes, world.size());
        if (!unit) return false;

        const std::int64_t blocks = std::int64_t{recvcount} * world.size();
        Wire result(Buffer::of(recvbuf, blocks, recvtype), *unit, world.handle());
        bool served = false;
        if (sendbuf == MPI_IN_PLACE) {
            result.pack(std::int64_t{recvcount} * world.rank(), recvcount);
            const std::int64_t length = result.buffer().count / world.size();
            served = serve(
                Allgather{result.buffer().slice(world.rank() * length, length), result.buffer()});
        } else {
            Wire mine(Buffer::of(sendbuf, sendcount, sendtype), *unit, world.handle());
            mine.pack();
            served = serve(Allgather{mine.buffer(), result.buffer()});
        }
        if (served) result.unpack();
        return served;
    }
};

}  // namespace laneway
