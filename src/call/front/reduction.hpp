// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "call/front/data.hpp"

namespace laneway {

/// Reductions: their data go as they are, in the caller's own type.
struct ReductionArguments {
    const void* sendbuf;
    void* recvbuf;
    std::int64_t count;
    MPI_Datatype type;
    MPI_Op op;

    bool acceptable() const { return Data{nullptr, count, type}.acceptable() && op != MPI_OP_NULL; }
    /// Whether the result, where it is significant, is a buffer.
    bool acceptable_result() const { return recvbuf != MPI_IN_PLACE; }
    bool is_aliased() const { return count != 0 && sendbuf == recvbuf; }

    Question question(bool with_result) const
    {
        return {type, MPI_DATATYPE_NULL, op,
                2 * unsigned{with_result} + unsigned{sendbuf == MPI_IN_PLACE}};
    }
    ReductionArguments without_data() const
    {
        return {sendbuf == MPI_IN_PLACE ? MPI_IN_PLACE : &nowhere[0], &nowhere[1], 0, type, op};
    }
    std::array<Data, 2> significant(bool with_result) const
    {
        return {sendbuf == MPI_IN_PLACE ? no_data : Data{sendbuf, count, type},
                with_result ? Data{recvbuf, count, type} : no_data};
    }

    /// The facts of a message of `blocks` blocks; empty where it cannot be counted.
    std::optional<Facts> facts(int blocks) const
    {
        const std::int64_t all = count * blocks;
        if (all > INT_MAX) return std::nullopt;
        const bool whole = !is_predefined(op);
        return Facts{.count = all,
                     .bytes = Data{nullptr, count, type}.bytes(),
                     .order_matters = whole && !pmpi::is_commutative(op),
                     .whole = whole};
    }

    Buffer input(int blocks = 1) const
    {
        return Data{sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type}.buffer(blocks);
    }
    Buffer result() const { return Data{recvbuf, count, type}.buffer(); }
};

/// Reductions without a root, by the library's function of these arguments. `Blocks`: the input has a
/// block of `count` elements a rank.
template <class Reduction, auto& Function, bool Blocks = false>
struct ReductionFront {
    using Call = Reduction;
    ReductionArguments data;
    MPI_Comm comm;

    static constexpr const auto& library = Function;
    int by(const auto& function, auto... more) const
    {
        return function(data.sendbuf, data.recvbuf, data.count, data.type, data.op, comm, more...);
    }

    bool acceptable(Member) const { return data.acceptable() && data.acceptable_result(); }

    int without_data(MPI_Comm alone, Member) const
    {
        return ReductionFront{data.without_data(), alone}.by(library);
    }
    Question question(Member) const { return data.question(true); }
    std::array<Data, 2> significant(Member) const { return data.significant(true); }
    bool is_aliased(Member) const { return reports_one_buffer<Call>() && data.is_aliased(); }

    std::optional<Facts> facts(Member me) const { return data.facts(blocks(me.size)); }

    class Wired {
    public:
        Wired(const ReductionFront& front, const Comm& world)
            : call_{front.data.input(blocks(world.size())), front.data.result(), front.data.op}
        {
        }
        std::array<Packing, 0> packings() const { return {}; }
        const Call& call() const { return call_; }

    private:
        Call call_;
    };

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

    static constexpr const auto& library = real::Reduce;
    int by(const auto& function, auto... more) const
    {
        return function(data.sendbuf, data.recvbuf, data.count, data.type, data.op, root, comm,
                        more...);
    }

    bool acceptable(Member me) const
    {
        if (!data.acceptable() || !me.knows(root)) return false;
        return me.rank == root ? data.acceptable_result() : data.sendbuf != MPI_IN_PLACE;
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        ReductionArguments asked = data.without_data();
        if (me.rank != root) asked.sendbuf = &nowhere[0];
        return ReduceFront{asked, 0, alone}.by(library);
    }
    Question question(Member me) const { return data.question(me.rank == root); }
    std::array<Data, 2> significant(Member me) const { return data.significant(me.rank == root); }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Call>() && me.rank == root && data.is_aliased();
    }

    std::optional<Facts> facts(Member) const { return data.facts(1); }

    class Wired {
    public:
        Wired(const ReduceFront& front, const Comm& world)
            : call_{front.data.input(), front.data.result(), front.data.op, front.root}
        {
            if (world.rank() != front.root) call_.result.data = nullptr;  // insignificant
        }
        std::array<Packing, 0> packings() const { return {}; }
        const Reduce& call() const { return call_; }

    private:
        Reduce call_;
    };
};

}  // namespace laneway
