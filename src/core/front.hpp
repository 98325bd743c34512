// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <climits>
#include <optional>

#include "core/calls.hpp"
#include "mpi/real.hpp"
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

    int native() const { return real::Bcast(buffer, count, datatype, root, comm); }

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

    int native() const { return real::Allreduce(sendbuf, recvbuf, count, datatype, op, comm); }

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
        return real::Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
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

/// Rooted calls in which `sendbuf`, `sendcount`, `sendtype` are the root's for MPI_Scatter and
/// everyone's for MPI_Gather, and the other way round: what is insignificant here is never read.
struct ScatterFront {
    using Call = Scatter;
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    int native() const
    {
        return real::Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                             comm);
    }

    bool acceptable(int size) const
    {
        if (root < 0 || root >= size) return false;
        int rank = 0;
        PMPI_Comm_rank(comm, &rank);
        if (rank == root && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL)) return false;
        return recvbuf == MPI_IN_PLACE || (recvcount >= 0 && recvtype != MPI_DATATYPE_NULL);
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        const bool is_root = world.rank() == root;
        const std::int64_t bytes =
            is_root ? sendcount * size_of(sendtype) : recvcount * size_of(recvtype);
        if (bytes == 0) return true;
        const auto unit = Unit::dividing(bytes, world.size());
        if (!unit) return false;

        const std::int64_t length = bytes / unit->size();
        Buffer data{nullptr, length * world.size(), unit->type(),
                    static_cast<MPI_Aint>(unit->size())};
        std::optional<Wire> whole, mine;
        if (is_root) {
            whole.emplace(Buffer::of(sendbuf, std::int64_t{sendcount} * world.size(), sendtype),
                          *unit, world.handle());
            whole->pack();
            data = whole->buffer();
        }
        if (recvbuf != MPI_IN_PLACE)
            mine.emplace(Buffer::of(recvbuf, recvcount, recvtype), *unit, world.handle());
        const bool served = serve(
            Scatter{data, mine ? mine->buffer() : data.slice(world.rank() * length, length), root});
        if (served && mine) mine->unpack();
        return served;
    }
};

struct GatherFront {
    using Call = Gather;
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    int native() const
    {
        return real::Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    }

    bool acceptable(int size) const
    {
        if (root < 0 || root >= size) return false;
        int rank = 0;
        PMPI_Comm_rank(comm, &rank);
        if (rank == root && (recvcount < 0 || recvtype == MPI_DATATYPE_NULL)) return false;
        return sendbuf == MPI_IN_PLACE || (sendcount >= 0 && sendtype != MPI_DATATYPE_NULL);
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        const bool is_root = world.rank() == root;
        const std::int64_t bytes =
            is_root ? recvcount * size_of(recvtype) : sendcount * size_of(sendtype);
        if (bytes == 0) return true;
        const auto unit = Unit::dividing(bytes, world.size());
        if (!unit) return false;

        const std::int64_t length = bytes / unit->size();
        Buffer data{nullptr, length * world.size(), unit->type(),
                    static_cast<MPI_Aint>(unit->size())};
        std::optional<Wire> whole, mine;
        if (is_root) {
            whole.emplace(Buffer::of(recvbuf, std::int64_t{recvcount} * world.size(), recvtype),
                          *unit, world.handle());
            data = whole->buffer();
        }
        if (sendbuf == MPI_IN_PLACE) {
            whole->pack(std::int64_t{recvcount} * world.rank(), recvcount);
        } else {
            mine.emplace(Buffer::of(sendbuf, sendcount, sendtype), *unit, world.handle());
            mine->pack();
        }
        const bool served = serve(
            Gather{mine ? mine->buffer() : data.slice(world.rank() * length, length), data, root});
        if (served && is_root) whole->unpack();
        return served;
    }
};

struct AlltoallFront {
    using Call = Alltoall;
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    int native() const
    {
        return real::Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
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
        // Leaders hold the rows of all processes of their node.
        if (bytes == 0) return true;
        const auto unit = Unit::dividing(bytes, std::int64_t{world.size()} * world.size());
        if (!unit) return false;

        Wire result(Buffer::of(recvbuf, std::int64_t{recvcount} * world.size(), recvtype), *unit,
                    world.handle());
        bool served = false;
        if (sendbuf == MPI_IN_PLACE) {
            result.pack();
            served = serve(Alltoall{result.buffer(), result.buffer()});
        } else {
            Wire input(Buffer::of(sendbuf, std::int64_t{sendcount} * world.size(), sendtype), *unit,
                       world.handle());
            input.pack();
            served = serve(Alltoall{input.buffer(), result.buffer()});
        }
        if (served) result.unpack();
        return served;
    }
};

struct ReduceFront {
    using Call = Reduce;
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root;
    MPI_Comm comm;

    int native() const { return real::Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); }

    bool acceptable(int size) const
    {
        return count >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL && root >= 0 &&
               root < size;
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        if (count == 0) return true;
        const Buffer result = Buffer::of(world.rank() == root ? recvbuf : nullptr, count, datatype);
        const Buffer input =
            sendbuf == MPI_IN_PLACE ? result : Buffer::of(sendbuf, count, datatype);
        return serve(Reduce{input, result, op, root});
    }
};

struct ReduceScatterBlockFront {
    using Call = ReduceScatterBlock;
    const void* sendbuf;
    void* recvbuf;
    int recvcount;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    int native() const
    {
        return real::Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
    }

    bool acceptable(int) const
    {
        return recvcount >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL;
    }

    template <class Serve>
    bool in_wire_form(const Comm& world, const Serve& serve) const
    {
        const std::int64_t all = std::int64_t{recvcount} * world.size();
        if (recvcount == 0) return true;
        if (all > INT_MAX) return false;
        const void* input = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
        return serve(ReduceScatterBlock{Buffer::of(input, all, datatype),
                                        Buffer::of(recvbuf, recvcount, datatype), op});
    }
};

/// MPI_Scan and MPI_Exscan: the same arguments, another function of the library.
template <class Scanning, auto& Function>
struct ScanningFront {
    using Call = Scanning;
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    int native() const { return Function(sendbuf, recvbuf, count, datatype, op, comm); }

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
        return serve(Scanning{input, result, op});
    }
};
using ScanFront = ScanningFront<Scan, real::Scan>;
using ExscanFront = ScanningFront<Exscan, real::Exscan>;

struct BarrierFront {
    using Call = Barrier;
    MPI_Comm comm;

    int native() const { return real::Barrier(comm); }
    bool acceptable(int) const { return true; }

    template <class Serve>
    bool in_wire_form(const Comm&, const Serve& serve) const
    {
        return serve(Barrier{});
    }
};

}  // namespace laneway
