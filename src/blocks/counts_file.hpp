// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laneway {

/// A file of counts: a line for each rank. That has the count of its block, or those of what it
/// sends to rank 0, 1 and so on. `#` begins a comment.
struct CountsFile {
    struct Line {
        int number;  ///< In the file, from 1.
        std::vector<int> counts;
    };

    std::string path;
    std::vector<Line> lines;

    /// Of all counts, rounded down.
    int mean() const;

    /// The same where all counts are, and where any is not very likely another one.
    std::string digest() const;
};

/// Throws Misunderstood, as all here, which names the file and where it can the line.
CountsFile parse_counts(const std::string& path, const std::string& text);

/// The counts of a file that there is.
CountsFile read_counts_file(const std::string& path);

/// Throws unless there are a line for each of `ranks` and `columns` counts on each.
void require_shape(const CountsFile& file, int ranks, int columns, const std::string& what);

/// Throws unless any two ranks send each other as many elements.
void require_symmetry(const CountsFile& file);

}  // namespace laneway
