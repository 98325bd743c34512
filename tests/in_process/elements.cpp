// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error.hpp"
#include "trial.hpp"

namespace laneway::in_process {
namespace {

/// Affine maps x -> a x + b modulo 2^32, composed: associative, and not commutative.
void compose(const std::uint32_t* left, std::uint32_t* right)
{
    right[1] = left[1] * right[0] + right[1];
    right[0] = left[0] * right[0];
}

void compose_dense(void* left, void* right, int* count, MPI_Datatype*)
{
    for (int i = 0; i < 2 * *count; i += 2)
        compose(static_cast<std::uint32_t*>(left) + i, static_cast<std::uint32_t*>(right) + i);
}

/// Two numbers with one that is none of theirs between them, and one after.
constexpr int gapped_stride = 4;
void compose_gapped(void* left, void* right, int* count, MPI_Datatype*)
{
    for (int i = 0; i < gapped_stride * *count; i += gapped_stride) {
        auto* const l = static_cast<std::uint32_t*>(left) + i;
        auto* const r = static_cast<std::uint32_t*>(right) + i;
        const std::uint32_t from[] = {l[0], l[2]};
        std::uint32_t to[] = {r[0], r[2]};
        compose(from, to);
        r[0] = to[0];
        r[2] = to[1];
    }
}

MPI_Datatype resized_vector(int blocks, int stride, int extent)
{
    MPI_Datatype vector = MPI_DATATYPE_NULL, result = MPI_DATATYPE_NULL;
    check(PMPI_Type_vector(blocks, 1, stride, MPI_UINT32_T, &vector));
    check(PMPI_Type_create_resized(vector, 0, extent * static_cast<int>(sizeof(std::uint32_t)),
                                   &result));
    check(PMPI_Type_free(&vector));
    check(PMPI_Type_commit(&result));
    return result;
}

MPI_Op operator_of(MPI_User_function* function)
{
    MPI_Op op = MPI_OP_NULL;
    check(PMPI_Op_create(function, 0, &op));
    return op;
}

constexpr std::uint32_t guard = 0xdeadbeef;
constexpr std::size_t guards = 8;

}  // namespace

const std::vector<Elements>& kinds()
{
    static const std::vector<Elements> all{
        {"sum", MPI_UINT32_T, MPI_SUM, true, 1, 1, {0}},
        {"maps", resized_vector(2, 1, 2), operator_of(compose_dense), false, 2, 2, {0, 1}},
        {"gapped",
         resized_vector(2, 2, gapped_stride),
         operator_of(compose_gapped),
         false,
         2,
         gapped_stride,
         {0, 2}},
    };
    return all;
}

Row::Row(const Elements& kind, std::int64_t count)
    : kind_(&kind),
      count_(count),
      memory_(static_cast<std::size_t>(count * kind.stride) + 2 * guards, guard)
{
}

Buffer Row::buffer() const { return Buffer::of(memory_.data() + guards, count_, kind_->type); }

void Row::set(std::int64_t element, const Value& value)
{
    for (std::size_t i = 0; i < kind_->at.size(); ++i)
        memory_[guards + static_cast<std::size_t>(element * kind_->stride + kind_->at[i])] =
            value[i];
}

Value Row::get(std::int64_t element) const
{
    Value value{};
    for (std::size_t i = 0; i < kind_->at.size(); ++i)
        value[i] =
            memory_[guards + static_cast<std::size_t>(element * kind_->stride + kind_->at[i])];
    return value;
}

bool Row::is_overrun() const
{
    std::vector<bool> is_data(static_cast<std::size_t>(kind_->stride), false);
    for (const int at : kind_->at) is_data[static_cast<std::size_t>(at)] = true;
    const auto end = guards + static_cast<std::size_t>(count_ * kind_->stride);
    for (std::size_t place = 0; place < memory_.size(); ++place) {
        const bool inside = place >= guards && place < end;
        if (inside && is_data[(place - guards) % is_data.size()]) continue;
        if (memory_[place] != guard) return true;
    }
    return false;
}

Value operand(const Elements& kind, int rank, std::int64_t element)
{
    const auto mixed = static_cast<std::uint32_t>(rank * 2654435761U + element * 40503U + 1);
    if (kind.numbers == 1) return {mixed, 0};
    return {mixed | 1U, mixed >> 7U};
}

Value reduction(const Elements& kind, int first, int last, std::int64_t element)
{
    Value result = operand(kind, last - 1, element);
    for (int rank = last - 2; rank >= first; --rank) {
        const Value left = operand(kind, rank, element);
        if (kind.numbers == 1)
            result[0] += left[0];
        else
            compose(left.data(), result.data());
    }
    return result;
}

}  // namespace laneway::in_process
