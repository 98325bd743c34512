// SPDX-License-Identifier: BSD-3-Clause
#include "call/learn/knowledge.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "library/error.hpp"
#include "library/real.hpp"
#include "text/hash.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// Names, a tabulator, so many numbers, and these: all processes are of one machine's kind.
std::string packed(const Kept& kept)
{
    std::string text;
    for (const auto& [name, numbers] : kept) {
        text += name + "\t" + std::to_string(numbers.size()) + "\t";
        const std::size_t start = text.size(), bytes = numbers.size() * sizeof(double);
        text.resize(start + bytes);
        std::memcpy(text.data() + start, numbers.data(), bytes);
    }
    return text;
}

Kept unpacked(std::string_view text)
{
    Kept kept;
    while (!text.empty()) {
        const std::string name(next(text, '\t'));
        std::vector<double> numbers(static_cast<std::size_t>(number(next(text, '\t'), 0, 1 << 20)));
        const std::size_t bytes = numbers.size() * sizeof(double);
        std::memcpy(numbers.data(), text.data(), bytes);
        text.remove_prefix(bytes);
        kept.emplace(name, std::move(numbers));
    }
    return kept;
}

}  // namespace

Knowledge& Knowledge::own()
{
    static auto* const only = new Knowledge;  // MPI may end after our destructors
    return *only;
}

void Knowledge::take(const std::string& name, std::vector<double> kept, const std::string& call,
                     const std::optional<std::string>& rest)
{
    const std::scoped_lock lock(mutex_);
    auto& known = kept_[name];
    if (!known.empty() && known.front() > kept.front()) return;
    known = std::move(kept);
    if (rest) rules_[call] = *rest;
}

Kept Knowledge::of(std::string_view shape)
{
    const std::scoped_lock lock(mutex_);
    Kept found;
    for (const auto& [name, kept] : kept_)
        if (name.starts_with(shape)) found.emplace(name, kept);
    return found;
}

std::map<std::string, std::string> Knowledge::rules()
{
    const std::scoped_lock lock(mutex_);
    return rules_;
}

Kept agreed_knowledge(MPI_Comm comm, std::string_view shape)
{
    Kept own = Knowledge::own().of(shape);
    std::string text = packed(own);
    const std::uint64_t digest = hash(text);
    const std::array<std::uint64_t, 2> mine{digest, ~digest};
    std::array<std::uint64_t, 2> all{};
    check_raised(real::Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_BAND, comm));
    if (all[0] == ~all[1]) return own;
    auto length = static_cast<std::int64_t>(text.size());
    check_raised(real::Bcast(&length, 1, MPI_INT64_T, 0, comm));
    text.resize(static_cast<std::size_t>(length));
    check_raised(real::Bcast(text.data(), length, MPI_CHAR, 0, comm));
    return unpacked(text);
}

}  // namespace laneway
