// SPDX-License-Identifier: BSD-3-Clause
#include "flight/signature.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/datatype.hpp"
#include "library/real.hpp"
#include "report/predefined.hpp"

namespace laneway::flight {
namespace {

constexpr std::uint16_t several = 0x8000;

std::uint16_t hash(std::uint16_t one, std::uint16_t other)
{
    return static_cast<std::uint16_t>(several | ((one * 31U + other + 1U) & 0x7fffU));
}

}  // namespace

/// The number of a name, from 1 on; 0 where there is no room for it.
std::uint16_t Signatures::word(const std::string& name)
{
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t at = 0; at < words_; ++at)
        if (name == file_.word(at).data()) return static_cast<std::uint16_t>(at + 1);
    if (words_ == words) return 0;
    put(file_.word(words_++), name);
    return static_cast<std::uint16_t>(words_);
}

TypeFacts Signatures::of(MPI_Datatype type)
{
    MPI_Count size = 0;
    // The call itself is to say that a handle is none.
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return {-1, 0};
    return {size, signature_of(type, 8)};
}

std::uint16_t Signatures::of_op(MPI_Op op)
{
    const std::string name = op_name(op);
    return word(name.empty() ? "an operator of the program's" : name);
}

/// A hash of several types depends on the names of them alone: numbers of words differ between processes.
std::uint16_t Signatures::signature_of(MPI_Datatype type, int depth)
{
    if (const std::string name = type_name(type); !name.empty()) return word(name);
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (depth == 0 || types == 0) return 0;
    std::vector<int> numbers(static_cast<std::size_t>(integers));
    std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses));
    std::vector<MPI_Datatype> inner(static_cast<std::size_t>(types), MPI_DATATYPE_NULL);
    PMPI_Type_get_contents(type, integers, addresses, types, numbers.data(), places.data(),
                           inner.data());
    std::vector<std::uint16_t> found;
    for (MPI_Datatype& one : inner) {
        found.push_back(signature_of(one, depth - 1));
        // The library's own function: the program frees nothing, and all that is known of types stays.
        if (!is_named(one)) real::Type_free(&one);
    }
    if (std::ranges::all_of(found, [&](std::uint16_t one) { return one == found.front(); }))
        return found.front();
    std::uint16_t all = several;
    for (const std::uint16_t one : found) {
        if (one >= several) {
            all = hash(all, one);
            continue;
        }
        for (const char letter : one > 0 ? file_.word(one - 1U) : Name{})
            all = hash(all, static_cast<std::uint16_t>(letter));
    }
    return all;
}

}  // namespace laneway::flight
