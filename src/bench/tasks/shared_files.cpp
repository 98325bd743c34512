// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/shared_files.hpp"

#include <cstddef>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/job/ranks.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// Gives all ranks the text of rank 0; none: it has none.
std::optional<std::string> shared(std::optional<std::string> text, MPI_Comm comm)
{
    long long length = text ? static_cast<long long>(text->size()) : -1;
    check(MPI_Bcast(&length, 1, MPI_LONG_LONG, 0, comm));
    if (length < 0) return std::nullopt;
    std::string all = rank_in(comm) == 0 ? std::move(*text) : std::string();
    all.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(all.data(), static_cast<int>(length), MPI_CHAR, 0, comm));
    return all;
}

}  // namespace

std::string shared_text(const std::string& option, const std::string& path, MPI_Comm comm)
{
    auto text = shared(rank_in(comm) == 0 ? text_of_file(path) : std::nullopt, comm);
    if (!text) throw Misunderstood(option + ": cannot read " + path);
    return std::move(*text);
}

std::string added_text(const std::string& path, std::size_t known, MPI_Comm comm)
{
    constexpr std::timespec between_looks{.tv_sec = 0, .tv_nsec = 10'000'000};
    std::optional<std::string> text;
    while (rank_in(comm) == 0) {
        text = text_of_file(path);
        if (!text) break;
        text->erase(0, known);
        if (*text == "\n" || text->ends_with("\n\n")) break;
        nanosleep(&between_looks, nullptr);
    }
    rest(comm);
    auto added = shared(std::move(text), comm);
    if (!added) throw Misunderstood("--more: cannot read " + path);
    return std::move(*added);
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
