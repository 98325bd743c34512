// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laneway {

/// A file of counts, with a line for each rank. The line has the count of the rank's block, or the counts of what it
/// sends to rank 0, 1 and so on. `#` begins a comment.
struct CountsFile {
    struct Line {
        int number;  ///< The number in the file, from 1.
        std::vector<int> counts;
    };

    std::string path;
    std::vector<Line> lines;

    /// The mean of all counts, rounded down.
    int mean() const;

    /// A digest of all counts: the same where all counts are, and very likely another one where any is not.
    std::string digest() const;
};

/// The counts in a file's text. Throws Misunderstood, as all here, which names the file and where it can the line.
CountsFile parse_counts(const std::string& path, const std::string& text);

/// The counts of a file that exists.
CountsFile read_counts_file(const std::string& path);

/// Throws unless there is a line for each of `ranks` ranks, and `columns` counts on each line.
void require_shape(const CountsFile& file, int ranks, int columns, const std::string& what);

/// Throws unless any two ranks send each other as many elements.
void require_symmetry(const CountsFile& file);

}  // namespace laneway
