// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/layouts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "text/text.hpp"

namespace laneway {
namespace {

using Shape = BlockLayout::Shape;

constexpr std::string_view file_prefix = "file:";
constexpr std::array<std::pair<Shape, const char*>, 6> named_shapes = {
    {{Shape::equal, "equal"},
     {Shape::ramp, "ramp"},
     {Shape::single, "single"},
     {Shape::random, "random"},
     {Shape::sparse, "sparse"},
     {Shape::stencil, "stencil"}}};

std::size_t unsigned_of(int number) { return static_cast<std::size_t>(number); }

/// A number that looks random, the same everywhere for the same key. It is made by the finaliser of SplitMix64
/// (Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t key)
{
    key = (key + 1) * 0x9e3779b97f4a7c15U;
    key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9U;
    key = (key ^ (key >> 27U)) * 0x94d049bb133111ebU;
    return key ^ (key >> 31U);
}

/// The block `index` of `number` random ones. Where one has more than the mean, another one has as much less, half of
/// all blocks further on. So the mean is kept.
std::size_t random_block(std::size_t mean, std::size_t index, std::size_t number,
                         std::uint64_t salt)
{
    const std::size_t half = number / 2;
    if (index >= 2 * half) return mean;  // The last of an odd number.
    const std::size_t drawn = mixed((salt << 40U) + index % half) % (2 * mean + 1);
    return index < half ? drawn : 2 * mean - drawn;
}

std::size_t random_pair(std::size_t mean, int from, int to, int size)
{
    const std::size_t low = unsigned_of(std::min(from, to));
    const std::size_t high = unsigned_of(std::max(from, to));
    const std::size_t ranks = unsigned_of(size);
    if (low == high) return random_block(mean, low, ranks, 1);
    const std::size_t before = low * (2 * ranks - low - 1) / 2;  // Pairs of lower ranks.
    return random_block(mean, before + high - low - 1, ranks * (ranks - 1) / 2, 2);
}

/// All elements are in the row and the column of the last rank, as many in the one as in the other.
std::size_t single_pair(std::size_t mean, int from, int to, int size)
{
    const std::size_t ranks = unsigned_of(size);
    const std::size_t all = mean * ranks * ranks;
    const std::size_t each = all / (2 * ranks - 1);
    const int last = size - 1;
    if (from == last && to == last) return all - 2 * (ranks - 1) * each;
    return from == last || to == last ? each : 0;
}

/// Partners are a quarter of the ranks apart, which is on other nodes where there are some. An odd number of ranks
/// cannot have three partners each: they have four.
std::size_t sparse_pair(std::size_t mean, int from, int to, int size)
{
    std::array<int, 4> distances = {size / 4, size / 2, size - size / 2, size - size / 4};
    std::ranges::sort(distances);
    const auto same = std::ranges::unique(distances);
    const auto is_own = [size](int distance) { return distance % size == 0; };
    const auto end = std::remove_if(distances.begin(), same.begin(), is_own);
    const std::size_t partners = unsigned_of(static_cast<int>(end - distances.begin()));
    const std::size_t all = mean * unsigned_of(size);
    const int distance = (to - from + size) % size;
    const std::size_t each = partners == 0 ? 0 : all / partners;
    // The rest goes to a rank from which as much comes back: half way round, or the rank itself.
    const std::size_t rest = all - partners * each;
    const int middle = size % 2 == 0 ? size / 2 : 0;
    const bool partner = std::find(distances.begin(), end, distance) != end;
    return (partner ? each : 0) + (distance == middle ? rest : 0);
}

/// A grid of three dimensions, as near to a cube as can be, whose ends meet.
class Grid {
public:
    explicit Grid(int size) : size_(size)
    {
        lengths_[0] = divisor(size, 3);
        lengths_[1] = divisor(size / lengths_[0], 2);
        lengths_[2] = size / lengths_[0] / lengths_[1];
    }

    int size() const { return size_; }
    /// How many ranks are around each.
    int around() const
    {
        int all = 1;
        for (const int length : lengths_) all *= std::min(3, length);
        return all - 1;
    }
    bool are_neighbors(int one, int other) const
    {
        if (one == other) return false;
        for (const int length : lengths_) {
            const int apart = std::abs(one % length - other % length);
            if (apart > 1 && apart != length - 1) return false;
            one /= length;
            other /= length;
        }
        return true;
    }

private:
    /// The largest divisor of a number whose power `power` is no larger than the number.
    static int divisor(int number, int power)
    {
        int found = 1;
        for (int each = 2; (power == 3 ? std::int64_t{each} * each : each) * each <= number; ++each)
            if (number % each == 0) found = each;
        return found;
    }

    int size_;
    std::array<int, 3> lengths_{};
};

/// Ranks around each other exchange the same. A rest that cannot be divided stays with each rank.
std::size_t stencil_pair(std::size_t mean, int from, int to, int size)
{
    thread_local Grid grid(1);
    if (grid.size() != size) grid = Grid(size);
    const std::size_t around = unsigned_of(grid.around()), all = mean * unsigned_of(size);
    if (from == to) return around == 0 ? all : all % around;
    return grid.are_neighbors(from, to) ? all / around : 0;
}

}  // namespace

std::string BlockLayout::name() const
{
    if (is_file())
        return std::string(file_prefix) + std::filesystem::path(path).filename().string();
    return std::ranges::find(named_shapes, shape, &decltype(named_shapes)::value_type::first)
        ->second;
}

void BlockLayout::must_fit(bool between_pairs, const std::string& collective) const
{
    if (shape == Shape::stencil && !between_pairs)
        throw Misunderstood("--layout " + name() + ": " + collective +
                            " has no blocks between pairs of ranks");
}

BlockLayout block_layout(const std::string& text)
{
    for (const auto& [shape, name] : named_shapes)
        if (text == name) return {.shape = shape};
    if (text.starts_with(file_prefix) && text.size() > file_prefix.size())
        return {.shape = Shape::file, .path = text.substr(file_prefix.size())};
    throw Misunderstood("--layout: '" + text + "' is none of " + layout_names());
}

std::string layout_names()
{
    std::string all;
    for (const auto& [shape, name] : named_shapes) all += std::string(name) + ", ";
    return all + std::string(file_prefix) + "PATH";
}

std::size_t block_elements(const BlockLayout& layout, std::size_t mean, int rank, int size)
{
    const std::size_t ranks = unsigned_of(size);
    const std::size_t own = unsigned_of(rank);
    switch (layout.shape) {
    case Shape::equal:
        return mean;
    case Shape::ramp:
        return size == 1 ? mean : 2 * mean * own / (ranks - 1);
    case Shape::single:
        return rank == size - 1 ? mean * ranks : 0;  // seldom the root
    case Shape::random:
        return random_block(mean, own, ranks, 0);
    case Shape::sparse: {
        const std::size_t holders = (ranks + 3) / 4;
        const std::size_t all = mean * ranks;
        return rank % 4 == 0 ? all / holders + (own / 4 < all % holders ? 1 : 0) : 0;
    }
    case Shape::stencil:
        break;
    case Shape::file:
        return unsigned_of(layout.counts->lines[own].counts.front());
    }
    return mean;
}

std::size_t pair_elements(const BlockLayout& layout, std::size_t mean, int from, int to, int size)
{
    switch (layout.shape) {
    case Shape::equal:
        return mean;
    case Shape::ramp:
        return block_elements(layout, mean, (from + to) % size, size);
    case Shape::single:
        return single_pair(mean, from, to, size);
    case Shape::random:
        return random_pair(mean, from, to, size);
    case Shape::sparse:
        return sparse_pair(mean, from, to, size);
    case Shape::stencil:
        return stencil_pair(mean, from, to, size);
    case Shape::file:
        return unsigned_of(layout.counts->lines[unsigned_of(from)].counts[unsigned_of(to)]);
    }
    return mean;
}

}  // namespace laneway
