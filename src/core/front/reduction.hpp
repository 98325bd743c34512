// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "core/front/data.hpp"

namespace laneway {

/// Reductions: their data go as they are, in the caller's own type.
struct ReductionArguments {
    const void* sendbuf;
    void* recvbuf;
    std::int64_t count;
    MPI_Datatype type;
    MPI_Op op;

    bool acceptable() const { return Data{nullptr, count, type}.acceptable() && op != MPI_OP_NULL; }

    /// Of a message of `blocks` blocks; empty where it cannot be counted.
    std::optional<Facts> facts(int blocks) const
    {
        const std::int64_t all = count * blocks;
        if (all > INT_MAX) return std::nullopt;
        return Facts{.count = all,
                     .bytes = Data{nullptr, count, type}.bytes(),
                     .order_matters = !pmpi::is_commutative(op)};
    }

    Buffer input(int blocks = 1) const
    {
        return Data{sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type}.buffer(blocks);
    }
    Buffer result() const { return Data{recvbuf, count, type}.buffer(); }
};

/// Those without a root, by the library's function of these arguments. `Blocks`: the input has a
/// block of `count` elements a rank.
template <class Reduction, auto& Function, bool Blocks = false>
struct ReductionFront {
    using Call = Reduction;
    ReductionArguments data;
    MPI_Comm comm;

    int native() const
    {
        return Function(data.sendbuf, data.recvbuf, data.count, data.type, data.op, comm);
    }

    bool acceptable(Member) const { return data.acceptable(); }

    std::optional<Facts> facts(Member me) const { return data.facts(blocks(me.size)); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        serve(Call{data.input(blocks(world.size())), data.result(), data.op});
    }

private:
    static int blocks(int size) { return Blocks ? size : 1; }
};
using AllreduceFront = ReductionFront<Allreduce, real::Allreduce>;
using ReduceScatterBlockFront =
    ReductionFront<ReduceScatterBlock, real::Reduce_scatter_block, true>;
using ScanFront = ReductionFront<Scan, real::Scan>;
using ExscanFront = ReductionFront<Exscan, real::Exscan>;

struct ReduceFront {
    using Call = Reduce;
    ReductionArguments data;
    int root;
    MPI_Comm comm;

    int native() const
    {
        return real::Reduce(data.sendbuf, data.recvbuf, data.count, data.type, data.op, root, comm);
    }

    bool acceptable(Member me) const { return data.acceptable() && me.knows(root); }

    std::optional<Facts> facts(Member) const { return data.facts(1); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Buffer result = data.result();
        if (world.rank() != root) result.data = nullptr;  // insignificant
        serve(Reduce{data.input(), result, data.op, root});
    }
};

}  // namespace laneway
