// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "blocks/counts_file.hpp"

namespace laneway {

/// How long the blocks of a vector collective are, `count` being their mean.
struct BlockLayout {
    enum class Shape {
        equal,
        ramp,  ///< Blocks from nothing at rank 0 to twice the mean at the last.
        single,  ///< Everything is the last rank's; between pairs: it exchanges with all, nobody else does.
        random,  ///< Blocks from nothing to twice the mean, the same on all ranks and in all runs.
        sparse,  ///< Every fourth rank has something; between pairs: each has three partners.
        stencil,  ///< Between pairs alone: ranks stand in a grid, and exchange with those around them.
        file      ///< A file has the counts.
    };

    Shape shape = Shape::equal;
    std::string path = {};                          ///< The path of the file.
    std::shared_ptr<const CountsFile> counts = {};  ///< The file's counts, once it is read.

    bool is_file() const { return shape == Shape::file; }
    /// Throws where it says nothing of a vector collective, which may have blocks `between_pairs` of ranks.
    void must_fit(bool between_pairs, const std::string& collective) const;

    /// The name in rows: that of a file without its folder.
    std::string name() const;
};

/// The layout of that name. Throws Misunderstood.
BlockLayout block_layout(const std::string& name);

/// The names of all layouts.
std::string layout_names();

/// Elements of the block of `rank` among `size`, whose mean is `mean`. The layout is not one of pairs alone.
std::size_t block_elements(const BlockLayout& layout, std::size_t mean, int rank, int size);

/// Elements that rank `from` sends to rank `to`; the mean is that of all pairs, a rank with itself among them. Except
/// in layouts of a file, as many come back.
std::size_t pair_elements(const BlockLayout& layout, std::size_t mean, int from, int to, int size);

}  // namespace laneway
