// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype.hpp"

#include "mpi/error.hpp"

namespace laneway {
namespace {

/// The type that a contiguous or duplicated type is made of, freed where MPI says so.
bool is_gap_free_content(MPI_Datatype type, int integers)
{
    int count = 0;
    MPI_Aint no_address = 0;
    MPI_Datatype content = MPI_DATATYPE_NULL;
    check(PMPI_Type_get_contents(type, integers, 0, 1, &count, &no_address, &content));
    const bool gap_free = is_gap_free(content);

    int integers_of_content = 0, addresses = 0, types = 0, combiner = 0;
    check(PMPI_Type_get_envelope(content, &integers_of_content, &addresses, &types, &combiner));
    if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&content);
    return gap_free;
}

Datatype committed(MPI_Datatype type)
{
    Datatype owner(type);
    check(PMPI_Type_commit(&type));
    return owner;
}

}  // namespace

std::int64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    check(PMPI_Type_size_x(type, &size));
    return size;
}

MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower_bound = 0, extent = 0;
    check(PMPI_Type_get_extent(type, &lower_bound, &extent));
    return extent;
}

TrueExtent true_extent_of(MPI_Datatype type)
{
    TrueExtent result{};
    check(PMPI_Type_get_true_extent(type, &result.lower_bound, &result.extent));
    return result;
}

bool is_gap_free(MPI_Datatype type)
{
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    switch (combiner) {
    case MPI_COMBINER_NAMED:
        return size_of(type) == extent_of(type);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
        return is_gap_free_content(type, integers);
    default:
        return false;
    }
}

Datatype::~Datatype()
{
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

Datatype Datatype::contiguous(int count, MPI_Datatype type)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    check(PMPI_Type_contiguous(count, type, &result));
    return committed(result);
}

Datatype Datatype::strided(int blocks, int length, int stride, MPI_Datatype type, int extent)
{
    MPI_Datatype blocks_type = MPI_DATATYPE_NULL, result = MPI_DATATYPE_NULL;
    check(PMPI_Type_vector(blocks, length, stride, type, &blocks_type));
    const Datatype owner(blocks_type);
    check(PMPI_Type_create_resized(blocks_type, 0, extent * extent_of(type), &result));
    return committed(result);
}

Datatype Datatype::indexed(const std::vector<int>& lengths, const std::vector<int>& displacements,
                           MPI_Datatype type)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    check(PMPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                            type, &result));
    return committed(result);
}

Datatype Datatype::displaced(MPI_Datatype type, MPI_Aint bytes)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed_block(1, 1, &bytes, type, &result));
    return committed(result);
}

}  // namespace laneway
