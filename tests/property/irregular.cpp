// SPDX-License-Identifier: BSD-3-Clause
#include "irregular.hpp"

#include <algorithm>
#include <numeric>

#include "case.hpp"

namespace laneway::property {

const std::vector<Irregular>& irregulars()
{
    static const std::vector<Irregular> all = [] {
        constexpr const char* lengths[] = {"equal", "rising", "one", "any", "quarter", "none"};
        constexpr const char* places[] = {"in-order", "apart", "reversed", "overlapping"};
        std::vector<Irregular> result;
        for (int length = 0; length < 6; ++length)
            for (int place = 0; place < 4; ++place) {
                const int number = 4 * length + place;
                const bool large = number % 3 == 1, late = number % 5 == 2;
                result.push_back({std::string(lengths[length]) + "-" + places[place] +
                                      (large ? "-large" : "") + (late ? "-late" : ""),
                                  static_cast<Lengths>(length), static_cast<Places>(place), large,
                                  late});
            }
        return result;
    }();
    return all;
}

BlockLengths::BlockLengths(const Case& the_case, int size)
    : case_(the_case),
      size_(size),
      seed_(static_cast<unsigned>(the_case.count * 31 + the_case.root * 7 + size))
{
    for (const char letter : the_case.shape->name() + the_case.form->name)
        seed_ = seed_ * 131 + static_cast<unsigned char>(letter);
}

int BlockLengths::by_chance(int key) const
{
    unsigned value = seed_ + static_cast<unsigned>(key) * 0x9E3779B9u;
    for (const unsigned factor : {0x85EBCA6Bu, 0xC2B2AE35u}) {
        value ^= value >> 15;
        value *= factor;
    }
    value ^= value >> 16;
    if (value % 4 == 0) return 0;
    return static_cast<int>((value >> 2) % (2 * static_cast<unsigned>(case_.count) + 1));
}

int BlockLengths::operator[](int rank) const
{
    const int count = case_.count, chosen = static_cast<int>(seed_ % 64);
    switch (case_.irregular->lengths) {
    case Lengths::equal:
        return count;
    case Lengths::rising:
        return static_cast<int>(2L * count * rank / size_);
    case Lengths::one:
        return rank == chosen % size_ ? count * size_ : 0;
    case Lengths::any:
        return by_chance(rank);
    case Lengths::quarter:
        return rank % 4 == chosen % std::min(4, size_) ? 4 * count : 0;
    case Lengths::none:
        break;
    }
    return 0;
}

int BlockLengths::between(int from, int to) const
{
    // In place, what two processes have for each other is equally long.
    const bool both = case_.in_place != InPlace::nobody;
    const int first = both ? std::min(from, to) : from, second = both ? std::max(from, to) : to;
    const int count = case_.count, chosen = static_cast<int>(seed_ % 64);
    const auto is_chosen = [&](int rank) { return rank % 4 == chosen % std::min(4, size_); };
    switch (case_.irregular->lengths) {
    case Lengths::equal:
        return count;
    case Lengths::rising:
        return static_cast<int>(2L * count * ((first + second) % size_) / size_);
    case Lengths::one: {
        const int one = chosen % size_, other = chosen / 3 % size_;
        const bool of_it =
            (first == one && second == other) || (both && second == one && first == other);
        return of_it ? count * size_ : 0;
    }
    case Lengths::any:
        return by_chance(first * size_ + second);
    case Lengths::quarter:
        return is_chosen(first) || (both && is_chosen(second)) ? 2 * count : 0;
    case Lengths::none:
        break;
    }
    return 0;
}

std::vector<int> BlockLengths::all() const
{
    std::vector<int> result;
    for (int rank = 0; rank < size_; ++rank) result.push_back((*this)[rank]);
    return result;
}

std::vector<int> BlockLengths::sent_by(int rank) const
{
    std::vector<int> result;
    for (int to = 0; to < size_; ++to) result.push_back(between(rank, to));
    return result;
}

std::vector<int> BlockLengths::received_by(int rank) const
{
    std::vector<int> result;
    for (int from = 0; from < size_; ++from) result.push_back(between(from, rank));
    return result;
}

long BlockLengths::total(bool between_all) const
{
    const auto sum = [](const std::vector<int>& lengths) {
        return std::accumulate(lengths.begin(), lengths.end(), 0L);
    };
    if (!between_all) return sum(all());
    long result = 0;
    for (int rank = 0; rank < size_; ++rank) result += sum(sent_by(rank));
    return result;
}

}  // namespace laneway::property
