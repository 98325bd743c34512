// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/counts_file.hpp"

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

#include "text/hash.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

constexpr const char* option = "--layout: ";

[[noreturn]] void reject(const std::string& path, int line, const std::string& why)
{
    throw Misunderstood(option + path + ", line " + std::to_string(line) + ": " + why);
}

std::string amount(std::size_t number, const std::string& what)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

int CountsFile::mean() const
{
    std::int64_t sum = 0;
    std::int64_t number = 0;
    for (const Line& line : lines) {
        for (const int count : line.counts) sum += count;
        number += static_cast<std::int64_t>(line.counts.size());
    }
    return static_cast<int>(sum / number);
}

/// A digest over the numbers of counts and the counts, the lowest byte first.
std::string CountsFile::digest() const
{
    std::string bytes;
    const auto add = [&bytes](std::uint64_t word) {
        for (int byte = 0; byte < 8; ++byte, word >>= 8U) bytes += static_cast<char>(word & 0xffU);
    };
    for (const Line& line : lines) {
        add(line.counts.size());
        for (const int count : line.counts) add(static_cast<std::uint64_t>(count));
    }
    std::string text(17, '\0');
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(hash(bytes)));
    text.pop_back();
    return text;
}

CountsFile parse_counts(const std::string& path, const std::string& text)
{
    CountsFile file{.path = path, .lines = {}};
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<int> counts;
        for (std::string word; words >> word;) {
            int count = -1;
            const auto [end, error] =
                std::from_chars(word.data(), word.data() + word.size(), count);
            if (error != std::errc{} || end != word.data() + word.size() || count < 0)
                reject(path, number,
                       "'" + word + "' is no count, which is a whole number from 0 to " +
                           std::to_string(std::numeric_limits<int>::max()));
            counts.push_back(count);
        }
        if (!counts.empty()) file.lines.push_back({number, std::move(counts)});
    }
    if (file.lines.empty()) throw Misunderstood(option + path + ": there is no count in it");
    return file;
}

CountsFile read_counts_file(const std::string& path)
{
    const auto text = text_of_file(path);
    if (!text) throw Misunderstood(option + ("cannot read " + path));
    return parse_counts(path, *text);
}

void require_shape(const CountsFile& file, int ranks, int columns, const std::string& what)
{
    const std::string wanted = what + " among " + amount(static_cast<std::size_t>(ranks), "rank");
    for (const auto& [number, counts] : file.lines)
        if (std::cmp_not_equal(counts.size(), columns))
            reject(file.path, number,
                   amount(counts.size(), "count") + ", where " + wanted + " has " +
                       std::to_string(columns) + " a line");
    if (std::cmp_equal(file.lines.size(), ranks)) return;
    const std::string there =
        amount(file.lines.size(), "line") + " of counts, where " + wanted + " needs one a rank";
    if (std::cmp_greater(file.lines.size(), ranks))
        reject(file.path, file.lines[static_cast<std::size_t>(ranks)].number, there);
    reject(file.path, file.lines.back().number, there);
}

void require_symmetry(const CountsFile& file)
{
    for (std::size_t from = 0; from < file.lines.size(); ++from) {
        const auto& [number, counts] = file.lines[from];
        for (std::size_t to = 0; to < from; ++to)
            if (counts[to] != file.lines[to].counts[from])
                reject(file.path, number,
                       "rank " + std::to_string(from) + " sends " + std::to_string(counts[to]) +
                           " to rank " + std::to_string(to) + ", which sends " +
                           std::to_string(file.lines[to].counts[from]) +
                           " back: with MPI_IN_PLACE both are as many");
    }
}

}  // namespace laneway
