// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/front/row.hpp"

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
        if (me.rank != root) return mine.acceptable() && !mine.in_place();
        return whole.acceptable() && mine.acceptable_or_in_place();
    }

    std::optional<Facts> facts(Member me) const { return moved(block_bytes(me.rank), me.size); }

protected:
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

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Row row = this->row(world);
        row.pack_whole();
        serve(Scatter{row.whole(), row.mine(), root});
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
