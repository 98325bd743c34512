// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/row.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// What mirrors in MPI_Scatter and MPI_Gather: the root's row of blocks, insignificant elsewhere and
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
    std::array<Data, 2> significant(Member me) const
    {
        return {mine.in_place() ? no_data : mine, me.rank == root ? whole : no_data};
    }

    std::optional<Facts> facts(Member me) const { return moved(block_bytes(me.rank), me.size); }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Gather> && me.rank == root && is_own_block(mine, whole, root);
    }

protected:
    /// The same without data, by a process alone.
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

    int native() const
    {
        return real::Scatter(whole.address, whole.count, whole.type,
                             const_cast<void*>(mine.address), mine.count, mine.type, root, comm);
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        return ScatterFront{asking(alone, me)}.native();
    }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Row row = this->row(world);
        row.pack_whole();
        // In place the root's block is input, and stays: what algorithms bring to its place is not read.
        const Scratch unread(mine.in_place() ? row.mine().count : 0, row.mine().type);
        serve(Scatter{row.whole(), mine.in_place() ? unread.buffer() : row.mine(), root});
        row.unpack_mine();
    }
};

struct GatherFront : RootedFront {
    using Call = Gather;

    int native() const
    {
        return real::Gather(mine.address, mine.count, mine.type, const_cast<void*>(whole.address),
                            whole.count, whole.type, root, comm);
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        return GatherFront{asking(alone, me)}.native();
    }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Row row = this->row(world);
        row.pack_mine();
        serve(Gather{row.mine(), row.whole(), root});
        row.unpack_whole();
    }
};

}  // namespace laneway
