// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laneway {

/// Which strand of a rank goes on next on its core, as in an `Execution`. That one looks which strands can go on, and
/// these do, the earliest first; then it looks again. A forked strand goes before all others, and its parent after it.
class Turns {
public:
    Turns(std::size_t ranks, std::size_t strands) : heads_(ranks), behind_(strands, none) {}

    bool nobody(std::size_t rank) const
    {
        return heads_[rank].now == none && heads_[rank].later == none;
    }
    /// Adds a strand that can go on. There are no more of them than are under way at once.
    void add(std::size_t rank, std::uint32_t strand)
    {
        std::uint32_t* place = &heads_[rank].later;
        while (*place < strand) place = &behind_[*place];
        behind_[strand] = std::exchange(*place, strand);
    }
    void add_first(std::size_t rank, std::uint32_t strand)
    {
        behind_[strand] = std::exchange(heads_[rank].now, strand);
    }
    /// Takes the next strand. There is one.
    std::uint32_t take(std::size_t rank)
    {
        auto& [now, later] = heads_[rank];
        if (now == none) std::swap(now, later);
        return std::exchange(now, behind_[now]);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};  // comes after all others
    struct Heads {
        std::uint32_t now = none;    ///< the strands of the last look
        std::uint32_t later = none;  ///< the others, in ascending order
    };
    std::vector<Heads> heads_;
    std::vector<std::uint32_t> behind_;  ///< by strand: the next one
};

}  // namespace laneway
