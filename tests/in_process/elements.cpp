// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <algorithm>
#include <cstring>

#include "library/error.hpp"

namespace laneway::in_process {
namespace {

constexpr int word = sizeof(std::uint32_t);
constexpr std::uint32_t guard = 0xdeadbeef;
constexpr std::size_t guard_bytes = 32;

/// Affine maps x -> a x + b modulo 2^32, composed: associative, and not commutative.
void compose(const Value& left, Value& right)
{
    right[1] = left[1] * right[0] + right[1];
    right[0] = left[0] * right[0];
}

void add(const Value& left, Value& right)
{
    right[0] += left[0];
    right[1] += left[1];
}

void bracket(const Value& left, Value& right) { right = bracketed(left, right); }

/// With a sign: MPICH 4.0 compares unsigned integers as if they had one.
void greater(const Value& left, Value& right)
{
    right[0] = static_cast<std::uint32_t>(
        std::max(static_cast<std::int32_t>(left[0]), static_cast<std::int32_t>(right[0])));
}

template <auto Combine>
void fold(Value* values, const Value* next, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        Value right = next[i];
        Combine(values[i], right);
        values[i] = right;
    }
}

/// One number in an element, all that it has.
template <class Number>
struct Single {
    static void write(std::byte* to, const Value* values, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto number = static_cast<Number>(values[i][0]);
            std::memcpy(to + i * static_cast<std::int64_t>(sizeof number), &number, sizeof number);
        }
    }
    static void read(const std::byte* from, Value* values, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            Number number{};
            std::memcpy(&number, from + i * static_cast<std::int64_t>(sizeof number),
                        sizeof number);
            values[i] = {number, 0};
        }
    }
};

/// Two numbers in an element; places in words.
template <int First, int Second, int Stride>
struct Pair {
    static void write(std::byte* to, const Value* values, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i, to += Stride * word) {
            std::memcpy(to + First * word, &values[i][0], word);
            std::memcpy(to + Second * word, &values[i][1], word);
        }
    }
    static void read(const std::byte* from, Value* values, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i, from += Stride * word) {
            std::memcpy(&values[i][0], from + First * word, word);
            std::memcpy(&values[i][1], from + Second * word, word);
        }
    }
    template <auto Combine>
    static void reduce(void* left, void* right, int* count, MPI_Datatype*)
    {
        for (int i = 0; i < *count; ++i) {
            Value from{}, to{};
            read(static_cast<std::byte*>(left) + i * Stride * word, &from, 1);
            read(static_cast<std::byte*>(right) + i * Stride * word, &to, 1);
            Combine(from, to);
            write(static_cast<std::byte*>(right) + i * Stride * word, &to, 1);
        }
    }
    template <auto Combine>
    static MPI_Op op(bool commutative)
    {
        MPI_Op op = MPI_OP_NULL;
        check(PMPI_Op_create(reduce<Combine>, commutative, &op));
        return op;
    }
    static MPI_Datatype type()
    {
        MPI_Datatype places = MPI_DATATYPE_NULL, result = MPI_DATATYPE_NULL;
        const MPI_Aint at[] = {First * word, Second * word};
        check(PMPI_Type_create_hindexed_block(2, 1, at, MPI_UINT32_T, &places));
        check(PMPI_Type_create_resized(places, 0, Stride * word, &result));
        check(PMPI_Type_free(&places));
        check(PMPI_Type_commit(&result));
        return result;
    }
    template <auto Combine>
    static Elements kind(const char* name, bool commutative, bool moved)
    {
        return {name,          type(), op<Combine>(commutative),
                commutative,   moved,  2 * word,
                Stride * word, write,  read,
                fold<Combine>};
    }
    static Elements bracketed_kind(const char* name, bool commutative)
    {
        Elements result = kind<bracket>(name, commutative, false);
        result.fold = nullptr;
        return result;
    }
};

}  // namespace

const std::vector<Elements>& kinds()
{
    using Bytes = Single<std::uint8_t>;
    using Words = Single<std::uint32_t>;
    using Gapped = Pair<0, 2, 4>;
    static const std::vector<Elements> all{
        {"sum", MPI_UINT32_T, MPI_SUM, true, true, word, word, Words::write, Words::read,
         fold<add>},
        Pair<0, 1, 2>::kind<compose>("maps", false, true),
        {"bytes", MPI_BYTE, MPI_OP_NULL, true, true, 1, 1, Bytes::write, Bytes::read, nullptr},
        Gapped::kind<compose>("gapped-maps", false, false),
        {"max", MPI_INT32_T, MPI_MAX, true, false, word, word, Words::write, Words::read,
         fold<greater>},
        Gapped::kind<add>("gapped-sum", true, false),
        // The data begin past the address of the element, and end past its extent.
        Pair<3, 4, 4>::kind<compose>("shifted-maps", false, false),
    };
    return all;
}

const std::vector<Elements>& bracketed_kinds()
{
    static const std::vector<Elements> all{
        Pair<0, 1, 2>::bracketed_kind("brackets", false),
        Pair<0, 1, 2>::bracketed_kind("brackets-said-to-commute", true)};
    return all;
}

/// The halves of a number of 64 bits that is mixed once from the left and twice from the right.
Value bracketed(const Value& left, const Value& right)
{
    const auto whole = [](const Value& of) { return std::uint64_t{of[1]} << 32U | of[0]; };
    const auto mixed = [](std::uint64_t number) {
        number = (number ^ (number >> 31U)) * 0x9e3779b97f4a7c15U + 1;
        return number ^ (number >> 29U);
    };
    const std::uint64_t both = mixed(mixed(whole(left)) + mixed(mixed(whole(right))));
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32U)};
}

void operands(int rank, std::int64_t first, std::int64_t count, Value* to)
{
    // Mixed, as in what is linear an element of one rank could stand in for that of another.
    const std::uint32_t start = static_cast<std::uint32_t>(rank) * 2654435761U + 1;
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t mixed = start + static_cast<std::uint32_t>(first + i) * 40503U;
        mixed = (mixed ^ (mixed >> 15U)) * 0x2c1b3c6dU;
        mixed ^= mixed >> 12U;
        to[i] = {mixed | 1U, mixed * 0x297a2d39U};
    }
}

std::size_t row_bytes(const Elements& kind, std::int64_t count)
{
    const auto bytes = static_cast<std::size_t>(count * kind.extent);
    return 2 * guard_bytes + (bytes + word - 1) / word * word;
}

std::byte* elements_of(std::byte* row) { return row + guard_bytes; }

void clear_row(std::byte* row, std::size_t bytes)
{
    auto* const words = reinterpret_cast<std::uint32_t*>(row);
    std::fill(words, words + bytes / word, guard);
}

}  // namespace laneway::in_process
