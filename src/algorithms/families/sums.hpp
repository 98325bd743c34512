// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "data/segments.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// The sums of the blocks of the lanes, which begin with the input.
class Sums {
public:
    /// A lane has so many `blocks` at most. `has_input`: the input stands at the places of the sums.
    Sums(std::vector<Segments> inputs, std::vector<Segments> places, int blocks, bool has_input,
         MPI_Op op, const Comm& comm)
        : inputs_(std::move(inputs)),
          places_(std::move(places)),
          blocks_(static_cast<std::size_t>(blocks)),
          begun_(inputs_.size() * blocks_, has_input),
          op_(op),
          comm_(comm)
    {
    }

    Buffer input(int lane, int block) const
    {
        return inputs_[static_cast<std::size_t>(lane)][block];
    }
    Buffer place(int lane, int block) const
    {
        return places_[static_cast<std::size_t>(lane)][block];
    }

    /// The place of the sum: as long as nothing was added, it stands in the input.
    Buffer sum(int lane, int block) const
    {
        return begun_[index(lane, block)] ? place(lane, block) : input(lane, block);
    }

    /// Has the sum at its place.
    void begin(int lane, int block)
    {
        if (begun_[index(lane, block)]) return;
        begun_[index(lane, block)] = true;
        if (place(lane, block).count > 0) copy(input(lane, block), place(lane, block), comm_);
    }

    /// The place where a contribution may arrive that is added before any other one. A first one arrives at the place
    /// of the sum, which saves a copy.
    Buffer expect(int lane, int block, const Buffer& room)
    {
        if (begun_[index(lane, block)]) return room;
        begun_[index(lane, block)] = true;
        return place(lane, block);
    }

    void add(int lane, int block, const Buffer& contribution)
    {
        const Buffer sum = place(lane, block);
        if (sum.count == 0) return;
        const bool is_expected = contribution.data == sum.data;
        if (!is_expected) begin(lane, block);
        reduce_local(is_expected ? input(lane, block) : contribution, sum, op_);
    }

private:
    std::size_t index(int lane, int block) const
    {
        return static_cast<std::size_t>(lane) * blocks_ + static_cast<std::size_t>(block);
    }

    std::vector<Segments> inputs_, places_;
    std::size_t blocks_;
    std::vector<bool> begun_;
    MPI_Op op_;
    const Comm& comm_;
};

}  // namespace laneway
