// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "carriers/use.hpp"

namespace laneway {

/// Memory of one rank that messages under way use. Nothing else may write to it, nor read where they write.
class Claims {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    /// The id of a claim that conflicts with `use`, which lies in `hull`; `none`: there is no such claim. `of(id)`
    /// is the use of a claim.
    template <class Of>
    std::uint32_t conflict(const Use& use, const Use::Hull& hull, const Of& of) const
    {
        if (count_ == 0) return none;
        for (std::size_t row = use.writes ? 0 : writes; row < rows_.size(); ++row) {
            const bool exact = use.type->dense && row % 2 == dense;
            const std::uint32_t found = rows_[row].find(
                hull, [&](std::uint32_t id) { return exact || use.overlaps(of(id)); });
            if (found != none) return found;
        }
        return none;
    }
    void add(const Use& use, const Use::Hull& hull, std::uint32_t id)
    {
        ++count_;
        row_of(use).add({hull, id});
    }
    void remove(const Use& use, std::uint32_t id)
    {
        --count_;
        row_of(use).remove(use.hull().first, id);
    }
    /// Forgets all; memory stays.
    void clear()
    {
        count_ = 0;
        for (Row& row : rows_) row.clear();
    }

private:
    struct Claim {
        Use::Hull hull;
        std::uint32_t id;
    };
    /// Claims by first byte and id, in an array with a gap where the last change was made. Claims that come and
    /// go in ascending or descending order move no others.
    class Row {
    public:
        /// A claim that meets `hull`, and of which `meets` is true.
        template <class Meets>
        std::uint32_t find(const Use::Hull& hull, const Meets& meets) const
        {
            const std::size_t end = size();
            if (end == 0 || at(0).hull.first >= hull.last) return none;
            for (std::size_t index = place_of(hull.first - longest_, 0); index < end; ++index) {
                const Claim& claim = at(index);
                if (claim.hull.first >= hull.last) break;
                if (claim.hull.last > hull.first && meets(claim.id)) return claim.id;
            }
            return none;
        }
        void add(const Claim& claim);
        void remove(std::intptr_t first, std::uint32_t id);
        void clear()
        {
            gap_ = 0;
            gap_end_ = claims_.size();
            longest_ = 0;
        }

    private:
        std::size_t size() const { return gap_ + claims_.size() - gap_end_; }
        const Claim& at(std::size_t index) const
        {
            return claims_[index < gap_ ? index : index + gap_end_ - gap_];
        }
        /// How many claims are before one like this.
        std::size_t place_of(std::intptr_t first, std::uint32_t id) const;
        void move_gap(std::size_t place);

        std::vector<Claim> claims_;
        std::size_t gap_ = 0, gap_end_ = 0;
        std::intptr_t longest_ = 0;  ///< length of the longest hull
    };

    // Claims of each kind are apart. Those with gaps may reach far, and then few of the others need be looked at.
    // Reading disturbs no reading.
    static constexpr std::size_t dense = 0, gapped = 1, writes = 2, kinds = 4;
    Row& row_of(const Use& use)
    {
        return rows_[(use.writes ? writes : 0) + (use.type->dense ? dense : gapped)];
    }

    std::array<Row, kinds> rows_;
    std::size_t count_ = 0;
};

}  // namespace laneway
