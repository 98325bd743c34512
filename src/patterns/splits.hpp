// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

namespace laneway {

/// A row of consecutive positions cut into parts, as a position in one of them sees it. Parts differ in size by at
/// most one, the larger ones first.
struct Split {
    int first, size;  ///< the row
    int parts;
    int mine;  ///< the position's part

    int begin(int part) const
    {
        return first + part * (size / parts) + std::min(part, size % parts);
    }
    int length(int part) const { return begin(part + 1) - begin(part); }
};

/// Positions 0 to size - 1 cut into `most` parts, the part of `position` again, and so on until it is alone. There
/// are ceil(log size / log most) splits at most.
inline std::vector<Split> splits(int position, int size, int most)
{
    std::vector<Split> result;
    for (int first = 0; size > 1;) {
        Split split{first, size, std::min(size, most), 0};
        while (position >= split.begin(split.mine + 1)) ++split.mine;
        result.push_back(split);
        first = split.begin(split.mine);
        size = split.length(split.mine);
    }
    return result;
}

}  // namespace laneway
