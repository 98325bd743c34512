// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/vector.hpp"

namespace laneway {

/// All processes know all lengths.
struct AllgathervFront {
    using Call = Allgatherv;
    Data mine;
    Blocks whole;
    MPI_Comm comm;

    static constexpr const auto& library = real::Allgatherv;
    int by(const auto& function, auto... more) const
    {
        const auto [counts, places] = sized(whole, comm);
        return function(mine.address, mine.count, mine.type, const_cast<void*>(whole.address),
                        counts, places, whole.type, comm, more...);
    }

    bool acceptable(Member me) const
    {
        return mine.acceptable_or_in_place() && whole.acceptable(me.size);
    }

    int without_data(MPI_Comm alone, Member me) const
    {
        const int code = type_without_data(mine, alone);
        return code == MPI_SUCCESS ? types_without_data(whole, me.size, alone) : code;
    }
    Question question(Member me) const { return asked_of(mine, whole.all(me.size)); }
    std::array<Data, 2> significant(Member me) const
    {
        return {mine.in_place() ? no_data : mine, whole.all(me.size)};
    }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member me) const
    {
        const std::int64_t all = whole.bytes_of_all(me.size);
        if (all == 0) return Facts{.count = 0, .bytes = 0};
        if (!unit_of(whole, me.size, all)) return std::nullopt;
        return Facts{.count = 1, .bytes = (all + me.size - 1) / me.size};
    }
    std::int64_t own_bytes(Member me) const
    {
        return mine.in_place() ? whole.bytes(me.rank) : mine.bytes();
    }

    class Wired {
    public:
        Wired(const AllgathervFront& front, const Comm& world)
            : Wired(front,
                    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
                    *unit_of(front.whole, world.size(), front.whole.bytes_of_all(world.size())),
                    world)
        {
        }
        std::array<Packing, 2> packings() const
        {
            if (!mine_) return {{whole_.both(), {}}};
            return {{{&*mine_, {0, mine_->count()}, {}}, whole_.in()}};
        }
        Allgatherv call() const
        {
            return {mine_ ? mine_->buffer() : whole_.block(rank_), whole_.buffer(), whole_.part()};
        }

    private:
        Wired(const AllgathervFront& front, const Unit& unit, const Comm& world)
            : whole_(front.whole, world.size(), unit, world),
              rank_(world.rank())
        {
            if (!front.mine.in_place()) mine_.emplace(front.mine.buffer(), unit, world);
        }

        VectorWire whole_;
        std::optional<Wire> mine_;
        int rank_;
    };

private:
    /// The unit of the wire. `all`: the bytes of all blocks.
    static std::optional<Unit> unit_of(const Blocks& whole, int size, std::int64_t all)
    {
        const std::int64_t length = std::max<std::int64_t>(1, whole.common_divisor(size));
        return Unit::dividing(length, all / length);
    }
};

}  // namespace laneway
