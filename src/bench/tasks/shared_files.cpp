// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/shared_files.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "bench/job/ranks.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

constexpr const char* layout_option = "--layout";

/// The text of a file; none where it cannot be read.
std::optional<std::string> text_of(const std::string& path)
{
    std::ifstream file(path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    // A folder opens, and only then cannot be read.
    if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) return std::nullopt;
    return text;
}

[[noreturn]] void reject_unreadable(const std::string& option, const std::string& path)
{
    throw UsageError(option + ": cannot read " + path);
}

}  // namespace

std::string shared_text(const std::string& option, const std::string& path, MPI_Comm comm)
{
    std::string text;
    long long length = -1;
    if (rank_in(comm) == 0) {
        if (auto found = text_of(path)) {
            text = std::move(*found);
            length = static_cast<long long>(text.size());
        }
    }
    check(MPI_Bcast(&length, 1, MPI_LONG_LONG, 0, comm));
    if (length < 0) reject_unreadable(option, path);
    text.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm));
    return text;
}

void read_counts(BlockLayout& layout, MPI_Comm comm)
{
    if (!layout.is_file()) return;
    const std::string text = shared_text(layout_option, layout.path, comm);
    layout.counts = std::make_shared<CountsFile>(parse_counts(layout.path, text));
}

void check_counts(const BlockLayout& layout)
{
    if (!layout.is_file()) return;
    const auto text = text_of(layout.path);
    if (!text) reject_unreadable(layout_option, layout.path);
    parse_counts(layout.path, *text);
}

}  // namespace laneway::bench
