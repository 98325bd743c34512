// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "call/front/reduction.hpp"
#include "call/front/vector.hpp"

namespace laneway {

/// All processes know all lengths. Its arguments but the counts are those of a reduction.
struct ReduceScatterFront {
    using Call = ReduceScatter;
    ReductionArguments data;  ///< its count is insignificant
    Numbers counts;
    MPI_Comm comm;

    static constexpr const auto& library = real::Reduce_scatter;
    int by(const auto& function, auto... more) const
    {
        return function(data.sendbuf, data.recvbuf, sized(counts, comm), data.type, data.op, comm,
                        more...);
    }

    bool acceptable(Member me) const
    {
        if (!counts || data.type == MPI_DATATYPE_NULL || data.op == MPI_OP_NULL) return false;
        for (int block = 0; block < me.size; ++block)
            if (counts[block] < 0) return false;
        return data.acceptable_result();
    }

    int without_data(MPI_Comm alone, Member) const
    {
        return AllreduceFront{data.without_data(), alone}.by(real::Allreduce);
    }
    Question question(Member) const { return data.question(true); }
    std::array<Data, 2> significant(Member me) const
    {
        const bool in_place = data.sendbuf == MPI_IN_PLACE;
        const std::int64_t all = count_of_all(me.size);
        return {in_place ? no_data : Data{data.sendbuf, all, data.type},
                {data.recvbuf, in_place ? all : counts[me.rank], data.type}};
    }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Call>() && data.sendbuf == data.recvbuf &&
               count_of_all(me.size) > 0;
    }

    /// The facts of the mean block.
    std::optional<Facts> facts(Member me) const
    {
        const std::int64_t all = count_of_all(me.size);
        if (all > INT_MAX) return std::nullopt;
        ReductionArguments whole = data;
        whole.count = all;
        std::optional<Facts> facts = whole.facts(1);
        if (facts) facts->bytes = (facts->bytes + me.size - 1) / me.size;
        return facts;
    }
    /// The bytes of the whole input.
    std::int64_t own_bytes(Member me) const
    {
        return Data{nullptr, count_of_all(me.size), data.type}.bytes();
    }

    class Wired {
    public:
        Wired(const ReduceScatterFront& front, const Comm& world)
            : part_(part_of(front.counts, world.size()))
        {
            ReductionArguments whole = front.data, mine = front.data;
            whole.count = part_.count();
            mine.count = part_.size(world.rank());
            input_ = whole.input();
            result_ = mine.result();
            op_ = front.data.op;
        }
        std::array<Packing, 0> packings() const { return {}; }
        ReduceScatter call() const { return {input_, result_, part_, op_}; }

    private:
        static Partition part_of(const Numbers& counts, int size)
        {
            std::vector<std::int64_t> lengths;
            for (int block = 0; block < size; ++block) lengths.push_back(counts[block]);
            return Partition(lengths);
        }

        Partition part_;
        Buffer input_{}, result_{};
        MPI_Op op_ = MPI_OP_NULL;
    };

private:
    std::int64_t count_of_all(int size) const
    {
        std::int64_t all = 0;
        for (int block = 0; block < size; ++block) all += counts[block];
        return all;
    }
};

}  // namespace laneway
