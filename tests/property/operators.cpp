// SPDX-License-Identifier: BSD-3-Clause
#include "operators.hpp"

#include <cstdint>
#include <cstring>

#include "data/buffer.hpp"
#include "data/datatype.hpp"
#include "library/error.hpp"

namespace laneway::property {
namespace {

/// Affine maps x -> a x + b over the integers modulo this prime make a group that does not commute.
constexpr int prime = 10007;

/// A small generator, alike everywhere (the constants are Knuth's for MMIX).
class Random {
public:
    explicit Random(unsigned seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) { next(); }
    std::uint32_t next()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33);
    }
    int below(int bound) { return static_cast<int>(next() % static_cast<unsigned>(bound)); }

private:
    std::uint64_t state_;
};

template <class T>
void append(Bytes& bytes, const T& value)
{
    const std::size_t end = bytes.size();
    bytes.resize(end + sizeof(T));
    std::memcpy(bytes.data() + end, &value, sizeof(T));
}

Bytes small_numbers(Kind kind, int elements, unsigned seed)
{
    Random random(seed);
    Bytes bytes;
    bytes.reserve(static_cast<std::size_t>(elements) * size_of(kind));
    for (int i = 0; i < elements; ++i) {
        if (kind == Kind::integer) append(bytes, random.below(1000));
        if (kind == Kind::real) append(bytes, static_cast<double>(random.below(1000)));
        if (kind == Kind::pair) append(bytes, static_cast<double>(random.below(3)));
        if (kind == Kind::pair) append(bytes, random.below(1000));
        if (kind == Kind::two) append(bytes, random.below(prime));
        if (kind == Kind::two) append(bytes, random.below(prime));
    }
    return bytes;
}

Bytes random_numbers(Kind, int elements, unsigned seed)
{
    Random random(seed);
    Bytes bytes;
    for (int i = 0; i < elements; ++i)
        append(bytes, (random.below(2) == 0 ? 1.0 : -1.0) / (1 + random.below(1 << 30)));
    return bytes;
}

/// Applies `combine(a, b, c, d)`, which brings (c, d) to (a, b) o (c, d), to all pairs of ints.
template <class Combine>
void for_pairs(void* in, void* inout, const int* count, const MPI_Datatype* type,
               const Combine& combine)
{
    const auto& offsets = offsets_in(*type);
    const MPI_Aint extent = extent_of(*type);
    const auto at = [&](void* data, int element, MPI_Aint offset) -> int& {
        return *static_cast<int*>(advanced(data, element * extent + offset));
    };
    for (int element = 0; element < *count; ++element)
        for (std::size_t i = 0; i + 1 < offsets.size(); i += 2)
            combine(at(in, element, offsets[i]), at(in, element, offsets[i + 1]),
                    at(inout, element, offsets[i]), at(inout, element, offsets[i + 1]));
}

void add(void* in, void* inout, int* count, MPI_Datatype* type)
{
    for_pairs(in, inout, count, type, [](int a, int b, int& c, int& d) {
        c = (a + c) % prime;
        d = (b + d) % prime;
    });
}

void compose(void* in, void* inout, int* count, MPI_Datatype* type)
{
    for_pairs(in, inout, count, type, [](int a, int b, int& c, int& d) {
        d = (a * d + b) % prime;
        c = a * c % prime;
    });
}

MPI_Op user_defined(MPI_User_function* function, bool commutative)
{
    MPI_Op op = MPI_OP_NULL;
    check(PMPI_Op_create(function, commutative, &op));
    return op;
}

}  // namespace

bool Operator::takes(const Form& form) const
{
    if (form.moved_only) return false;
    return form.kind == kind || (user && form.kind == Kind::nothing);
}

const std::vector<Operator>& operators()
{
    static const std::vector<Operator> all{
        {"sum", MPI_SUM, Kind::integer, false, true, small_numbers},
        {"band", MPI_BAND, Kind::integer, false, true, small_numbers},
        {"sum", MPI_SUM, Kind::real, false, true, small_numbers},
        {"max", MPI_MAX, Kind::real, false, true, small_numbers},
        {"random-sum", MPI_SUM, Kind::real, false, false, random_numbers},
        {"minloc", MPI_MINLOC, Kind::pair, false, true, small_numbers},
        {"maxloc", MPI_MAXLOC, Kind::pair, false, true, small_numbers},
        {"add", user_defined(add, true), Kind::two, true, true, small_numbers},
        {"compose", user_defined(compose, false), Kind::two, true, true, small_numbers},
    };
    return all;
}

Bytes arbitrary(Kind kind, int elements, unsigned seed)
{
    Random random(seed);
    Bytes bytes(static_cast<std::size_t>(elements) * size_of(kind));
    std::size_t at = 0;
    while (at + sizeof(std::uint32_t) <= bytes.size()) {
        const std::uint32_t word = random.next();
        std::memcpy(bytes.data() + at, &word, sizeof(word));
        at += sizeof(word);
    }
    return bytes;
}

}  // namespace laneway::property
