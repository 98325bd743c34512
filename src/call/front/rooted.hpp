// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/row.hpp"
#include "data/scratch.hpp"

namespace laneway {

/// The arguments that mirror in MPI_Scatter and MPI_Gather: the root's row of blocks, insignificant elsewhere and
/// then never read, and everyone's own block.
struct RootedFront {
    Data whole;
    Data mine;
    int root;
    MPI_Comm comm;

    bool acceptable(Member me) const
    {
        if (!me.knows(root)) return false;
        if (me.rank != root) return mine.acceptable();
        return whole.acceptable() && mine.acceptable_or_in_place();
    }
    Question question(Member me) const
    {
        const bool is_root = me.rank == root;
        return asked_of(is_root ? whole : no_data, mine, is_root);
    }
    std::array<Data, 2> significant(Member me) const
    {
        return {mine.in_place() ? no_data : mine, me.rank == root ? whole : no_data};
    }

    std::optional<Facts> facts(Member me) const { return moved(block_bytes(me.rank), me.size); }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Gather>() && me.rank == root && is_own_block(mine, whole, root);
    }

protected:
    /// The front of a call without data, by a process alone.
    RootedFront asking(MPI_Comm alone, Member me) const
    {
        return {empty(me.rank == root ? whole : no_data, &nowhere[0]), empty(mine, &nowhere[1]), 0,
                alone};
    }

    Row row(const Comm& world) const
    {
        const bool is_root = world.rank() == root;
        return {is_root ? &whole : nullptr, mine, block_bytes(world.rank()), world};
    }

private:
    std::int64_t block_bytes(int rank) const { return (rank == root ? whole : mine).bytes(); }
};

struct ScatterFront : RootedFront {
    using Call = Scatter;

    static constexpr const auto& library = real::Scatter;
    int by(const auto& function, auto... more) const
    {
        return function(whole.address, whole.count, whole.type, const_cast<void*>(mine.address),
                        mine.count, mine.type, root, comm, more...);
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        return ScatterFront{asking(alone, me)}.by(library);
    }

    class Wired {
    public:
        Wired(const ScatterFront& front, const Comm& world)
            : row_(front.row(world)),
              // In place the root's block is input, and stays: data that algorithms bring to its place are
              // not read.
              unread_(front.mine.in_place() ? row_.mine().count : 0, row_.mine().type),
              mine_(front.mine.in_place() ? unread_.buffer() : row_.mine()),
              root_(front.root)
        {
        }
        auto packings() const { return row_.whole_to_mine(); }
        Scatter call() const { return {row_.whole(), mine_, root_}; }

    private:
        Row row_;
        Scratch unread_;
        Buffer mine_;
        int root_;
    };
};

struct GatherFront : RootedFront {
    using Call = Gather;

    static constexpr const auto& library = real::Gather;
    int by(const auto& function, auto... more) const
    {
        return function(mine.address, mine.count, mine.type, const_cast<void*>(whole.address),
                        whole.count, whole.type, root, comm, more...);
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        return GatherFront{asking(alone, me)}.by(library);
    }

    class Wired {
    public:
        Wired(const GatherFront& front, const Comm& world)
            : row_(front.row(world)),
              root_(front.root)
        {
        }
        auto packings() const { return row_.mine_to_whole(); }
        Gather call() const { return {row_.mine(), row_.whole(), root_}; }

    private:
        Row row_;
        int root_;
    };
};

}  // namespace laneway
