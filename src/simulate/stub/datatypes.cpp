// SPDX-License-Identifier: BSD-3-Clause
// Datatypes without an MPI library: sizes and bounds as MPI defines them (MPI 4.1, Section 5.1).
#include <mpi.h>

#include <algorithm>
#include <stdexcept>
#include <string>

using laneway::stub::Type;

namespace {

/// Blocks of elements of `type`, at distances of `first` bytes from the start.
class Blocks {
public:
    explicit Blocks(MPI_Datatype type) : type_(*type) {}

    void add(std::int64_t first, std::int64_t length)
    {
        if (length == 0) return;
        const std::int64_t last = first + (length - 1) * type_.extent;
        const auto bounds = std::minmax(first, last);
        const auto cover = [&](std::int64_t& low, std::int64_t& high, std::int64_t from,
                               std::int64_t extent) {
            low = empty_ ? bounds.first + from : std::min(low, bounds.first + from);
            const std::int64_t end = bounds.second + from + extent;
            high = empty_ ? end : std::max(high, end);
        };
        cover(low_, high_, type_.lower_bound, type_.extent);
        cover(true_low_, true_high_, type_.true_lower_bound, type_.true_extent);
        elements_ += length;
        empty_ = false;
    }

    int make(MPI_Datatype* result, MPI_Datatype row_of = nullptr) const
    {
        *result = new Type{.size = elements_ * type_.size,
                           .lower_bound = low_,
                           .extent = high_ - low_,
                           .true_lower_bound = true_low_,
                           .true_extent = true_high_ - true_low_,
                           .row_of = row_of,
                           .named = false};
        return MPI_SUCCESS;
    }

private:
    const Type& type_;
    std::int64_t elements_ = 0, low_ = 0, high_ = 0, true_low_ = 0, true_high_ = 0;
    bool empty_ = true;
};

}  // namespace

int laneway::stub::no_mpi(const char* function)
{
    throw std::logic_error(std::string(function) + " is called where there is no MPI");
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size)
{
    *size = type->size;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent)
{
    *lower_bound = type->lower_bound;
    *extent = type->extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent)
{
    *lower_bound = type->true_lower_bound;
    *extent = type->true_extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                           int* combiner)
{
    *integers = *types = type->row_of ? 1 : 0;
    *addresses = 0;
    *combiner = type->named    ? MPI_COMBINER_NAMED
                : type->row_of ? MPI_COMBINER_CONTIGUOUS
                               : MPI_COMBINER_OTHER;
    return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype type, int, int, int, int* count, MPI_Aint*,
                           MPI_Datatype* content)
{
    *count = type->row_of->size == 0 ? 0 : static_cast<int>(type->size / type->row_of->size);
    // The content is a copy, as MPI gives a handle to be freed; a predefined type is its own content.
    *content = type->row_of->named ? type->row_of : new Type(*type->row_of);
    return MPI_SUCCESS;
}

int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* result)
{
    Blocks blocks(type);
    blocks.add(0, count);
    return blocks.make(result, type);
}

int PMPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* result)
{
    Blocks blocks(type);
    for (int block = 0; block < count; ++block)
        blocks.add(std::int64_t{block} * stride * type->extent, length);
    return blocks.make(result);
}

int PMPI_Type_indexed(int count, const int* lengths, const int* displacements, MPI_Datatype type,
                      MPI_Datatype* result)
{
    Blocks blocks(type);
    for (int block = 0; block < count; ++block)
        blocks.add(displacements[block] * type->extent, lengths[block]);
    return blocks.make(result);
}

int PMPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* displacements,
                              MPI_Datatype type, MPI_Datatype* result)
{
    Blocks blocks(type);
    for (int block = 0; block < count; ++block) blocks.add(displacements[block], lengths[block]);
    return blocks.make(result);
}

int PMPI_Type_create_hindexed_block(int count, int length, const MPI_Aint* displacements,
                                    MPI_Datatype type, MPI_Datatype* result)
{
    Blocks blocks(type);
    for (int block = 0; block < count; ++block) blocks.add(displacements[block], length);
    return blocks.make(result);
}

int PMPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent,
                             MPI_Datatype* result)
{
    auto* const resized = new Type(*type);
    resized->named = false;
    resized->row_of = nullptr;
    resized->lower_bound = lower_bound;
    resized->extent = extent;
    *result = resized;
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }

int PMPI_Type_free(MPI_Datatype* type)
{
    delete *type;
    *type = nullptr;
    return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op, int* commutative)
{
    *commutative = 1;
    return MPI_SUCCESS;
}
