// SPDX-License-Identifier: BSD-3-Clause
// Datatypes without an MPI library: sizes and bounds as MPI defines them (MPI 4.1, Section 5.1).
#include "simulate/stub/datatypes.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

using laneway::stub::handle_of;
using laneway::stub::predefined;
using laneway::stub::Type;

namespace {

/// All types, by their handles. A handle of an MPI library is a pointer or a number, and means nothing here.
std::unordered_map<MPI_Datatype, Type>& types()
{
    static std::unordered_map<MPI_Datatype, Type> all{
        {MPI_BYTE, predefined(1)},    {MPI_PACKED, predefined(1)}, {MPI_INT16_T, predefined(2)},
        {MPI_INT32_T, predefined(4)}, {MPI_INT, predefined(4)},    {MPI_INT64_T, predefined(8)},
        {MPI_UINT64_T, predefined(8)}};
    return all;
}

template <class Handle>
Handle numbered(std::intptr_t number)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(number);
    else
        return static_cast<Handle>(number);
}

const Type& at(MPI_Datatype type)
{
    const auto found = types().find(type);
    if (found == types().end())
        throw std::logic_error("a datatype that is unknown where there is no MPI");
    return found->second;
}

/// Blocks of elements of `type`, at distances of `first` bytes from the start.
class Blocks {
public:
    explicit Blocks(MPI_Datatype type) : type_(at(type)) {}

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

    int make(MPI_Datatype* result, MPI_Datatype row_of = MPI_DATATYPE_NULL) const
    {
        *result = handle_of({.size = elements_ * type_.size,
                             .lower_bound = low_,
                             .extent = high_ - low_,
                             .true_lower_bound = true_low_,
                             .true_extent = true_high_ - true_low_,
                             .row_of = row_of,
                             .named = false});
        return MPI_SUCCESS;
    }

private:
    const Type type_;
    std::int64_t elements_ = 0, low_ = 0, high_ = 0, true_low_ = 0, true_high_ = 0;
    bool empty_ = true;
};

}  // namespace

MPI_Datatype laneway::stub::handle_of(const Type& type)
{
    // Far from the numbers, and from the addresses, of predefined handles.
    static std::intptr_t next = std::intptr_t{1} << 20;
    const auto handle = numbered<MPI_Datatype>(next++);
    types().emplace(handle, type);
    return handle;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size)
{
    *size = at(type).size;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent)
{
    *lower_bound = at(type).lower_bound;
    *extent = at(type).extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent)
{
    *lower_bound = at(type).true_lower_bound;
    *extent = at(type).true_extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* contents,
                           int* combiner)
{
    const Type& its = at(type);
    const bool is_row = its.row_of != MPI_DATATYPE_NULL;
    *integers = *contents = is_row ? 1 : 0;
    *addresses = 0;
    // Texts ask no more about types that are no rows.
    *combiner = its.named ? MPI_COMBINER_NAMED
                : is_row  ? MPI_COMBINER_CONTIGUOUS
                          : MPI_COMBINER_STRUCT;
    return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype type, int, int, int, int* count, MPI_Aint*,
                           MPI_Datatype* content)
{
    const Type row = at(type), element = at(row.row_of);
    *count = element.size == 0 ? 0 : static_cast<int>(row.size / element.size);
    // The content is a copy, as MPI gives a handle to be freed; a predefined type is its own content.
    *content = element.named ? row.row_of : handle_of(element);
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
        blocks.add(std::int64_t{block} * stride * at(type).extent, length);
    return blocks.make(result);
}

int PMPI_Type_indexed(int count, const int* lengths, const int* displacements, MPI_Datatype type,
                      MPI_Datatype* result)
{
    Blocks blocks(type);
    for (int block = 0; block < count; ++block)
        blocks.add(displacements[block] * at(type).extent, lengths[block]);
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
    Type resized = at(type);
    resized.named = false;
    resized.row_of = MPI_DATATYPE_NULL;
    resized.lower_bound = lower_bound;
    resized.extent = extent;
    *result = handle_of(resized);
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }

int PMPI_Type_free(MPI_Datatype* type)
{
    types().erase(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
