// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/shared_files.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "bench/job/ranks.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
std::string shared_text(const std::string& option, const std::string& path, MPI_Comm comm)
{
    std::string text;
    long long length = -1;
    if (rank_in(comm) == 0) {
        if (auto found = text_of_file(path)) {
            text = std::move(*found);
            length = static_cast<long long>(text.size());
        }
    }
    check(MPI_Bcast(&length, 1, MPI_LONG_LONG, 0, comm));
    if (length < 0) throw Misunderstood(option + ": cannot read " + path);
    text.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm));
    return text;
}

void read_counts(BlockLayout& layout, MPI_Comm comm)
{
    if (!layout.is_file()) return;
    const std::string text = shared_text("--layout", layout.path, comm);
    layout.counts = std::make_shared<CountsFile>(parse_counts(layout.path, text));
}

void check_counts(const BlockLayout& layout)
{
    if (!layout.is_file()) return;
    read_counts_file(layout.path);
}

}  // namespace laneway::bench
