// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/vector.hpp"

namespace laneway {

/// The arguments that mirror in MPI_Scatterv and MPI_Gatherv: the root's row of blocks, insignificant elsewhere and
/// then never read, and everyone's own block. The root knows all lengths, others their own, until they hear of those of
/// the node.
struct RootedVectorFront {
    Blocks whole;
    Data mine;
    int root;
    MPI_Comm comm;

    bool acceptable(Member me) const
    {
        if (!me.knows(root)) return false;
        if (me.rank == root) return whole.acceptable(me.size) && mine.acceptable_or_in_place();
        // MPICH lets a process pass that is in place without data.
        return mine.in_place() ? mine.count == 0 : mine.acceptable();
    }
    int without_data(MPI_Comm alone, Member me) const
    {
        const int code = type_without_data(mine, alone);
        if (code != MPI_SUCCESS || me.rank != root) return code;
        return types_without_data(whole, me.size, alone);
    }
    Question question(Member me) const
    {
        const bool is_root = me.rank == root;
        return asked_of(is_root ? whole.all(me.size) : no_data, mine, is_root);
    }
    std::array<Data, 2> significant(Member me) const
    {
        return {mine.in_place() ? no_data : mine, me.rank == root ? whole.all(me.size) : no_data};
    }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member) const { return of_unknown_lengths; }
    std::int64_t own_bytes(Member me) const
    {
        if (!mine.in_place()) return mine.bytes();
        return me.rank == root ? whole.bytes(me.rank) : 0;
    }

    class Wire {
    public:
        Wire(const RootedVectorFront& front, const Comm& world) : root_(front.root)
        {
            const Unit unit = byte_unit();
            const bool is_root = world.rank() == front.root;
            if (is_root) whole_.emplace(front.whole, world.size(), unit, world);
            if (!front.mine.in_place()) {
                mine_.emplace(front.mine.buffer(), unit, world);
                own_ = mine_->buffer();
            } else if (is_root) {
                own_ = whole_->block(front.root);
            } else {
                own_ = {nullptr, 0, unit.type(), 1};
            }
            if (is_root) part_ = whole_->part();
            row_ = is_root ? whole_->buffer() : Buffer{nullptr, 0, unit.type(), 1};
        }

        Lengths lengths() const
        {
            return {{own_.count}, root_, whole_ ? lengths_of(part_) : std::vector<std::int64_t>()};
        }
        void hear(Partition row)
        {
            part_ = std::move(row);
            row_.count = part_.count();
        }

    protected:
        const Buffer& whole() const { return row_; }
        const Buffer& mine() const { return own_; }
        const Partition& part() const { return part_; }
        int root() const { return root_; }

        /// The own block goes out, and the whole comes in.
        std::array<Packing, 2> mine_to_whole() const
        {
            if (!whole_) return {{own(true), {}}};
            if (!mine_) return {{whole_->both(), {}}};
            return {{own(true), whole_->in()}};
        }
        std::array<Packing, 2> whole_to_mine() const
        {
            return {{whole_ ? whole_->out() : Packing{}, own(false)}};
        }

    private:
        Packing own(bool goes_out) const
        {
            if (!mine_) return {};
            const Stretch all{0, mine_->count()};
            return {&*mine_, goes_out ? all : Stretch{}, goes_out ? Stretch{} : all};
        }

        std::optional<VectorWire> whole_;
        std::optional<laneway::Wire> mine_;
        Buffer row_{}, own_{};
        Partition part_;
        int root_;
    };
};

struct ScattervFront : RootedVectorFront {
    using Call = Scatterv;

    static constexpr const auto& library = real::Scatterv;
    int by(const auto& function, auto... more) const
    {
        const auto [counts, places] = sized(whole, comm, root);
        return function(whole.address, counts, places, whole.type, const_cast<void*>(mine.address),
                        mine.count, mine.type, root, comm, more...);
    }

    class Wired : public Wire {
    public:
        using Wire::Wire;
        auto packings() const { return whole_to_mine(); }
        Scatterv call() const { return {whole(), mine(), part(), root()}; }
    };
};

struct GathervFront : RootedVectorFront {
    using Call = Gatherv;

    static constexpr const auto& library = real::Gatherv;
    int by(const auto& function, auto... more) const
    {
        const auto [counts, places] = sized(whole, comm, root);
        return function(mine.address, mine.count, mine.type, const_cast<void*>(whole.address),
                        counts, places, whole.type, root, comm, more...);
    }

    class Wired : public Wire {
    public:
        using Wire::Wire;
        auto packings() const { return mine_to_whole(); }
        Gatherv call() const { return {mine(), whole(), part(), root()}; }
    };
};

}  // namespace laneway
