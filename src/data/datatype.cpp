// SPDX-License-Identifier: BSD-3-Clause
#include "data/datatype.hpp"

#include <algorithm>
#include <functional>

#include "data/recording.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "library/recent.hpp"

namespace laneway {
namespace {

/// How a type was made, as the large-count functions say where there are some: they know types of both kinds.
struct Envelope {
    std::int64_t integers = 0, addresses = 0, counts = 0;
    int combiner = 0;

    explicit Envelope(MPI_Datatype type)
    {
#if MPI_VERSION >= 4
        if (has_large_counts()) {
            MPI_Count all[4] = {};
            check(PMPI_Type_get_envelope_c(type, &all[0], &all[1], &all[2], &all[3], &combiner));
            integers = all[0];
            addresses = all[1];
            counts = all[2];
            return;
        }
#endif
        int all[3] = {};
        check(PMPI_Type_get_envelope(type, &all[0], &all[1], &all[2], &combiner));
        integers = all[0];
        addresses = all[1];
    }

    std::int64_t numbers() const { return integers + addresses + counts; }

    /// The one type that `type`, whose envelope this is, consists of.
    MPI_Datatype content(MPI_Datatype type) const
    {
        int integer = 0;
        MPI_Aint no_address = 0;
        MPI_Datatype result = MPI_DATATYPE_NULL;
#if MPI_VERSION >= 4
        if (has_large_counts()) {
            MPI_Count count = 0;
            check(PMPI_Type_get_contents_c(type, integers, 0, counts, 1, &integer, &no_address,
                                           &count, &result));
            return result;
        }
#endif
        check(PMPI_Type_get_contents(type, static_cast<int>(integers), 0, 1, &integer, &no_address,
                                     &result));
        return result;
    }
};

/// Whether the content of a contiguous or duplicated type is gap-free. It is freed where MPI says so.
bool is_gap_free_content(MPI_Datatype content)
{
    const bool gap_free = is_gap_free(content);
    if (!is_named(content)) real::Type_free(&content);
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

std::int64_t numbers_in(MPI_Datatype type)
{
    const Envelope envelope(type);
    return envelope.numbers();
}

bool is_named(MPI_Datatype type) { return Envelope(type).combiner == MPI_COMBINER_NAMED; }

bool is_gap_free(MPI_Datatype type)
{
    const Envelope envelope(type);
    switch (envelope.combiner) {
    case MPI_COMBINER_NAMED:
        return size_of(type) == extent_of(type);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
        return is_gap_free_content(envelope.content(type));
    default:
        return false;
    }
}

Datatype::~Datatype()
{
    if (type_ == MPI_DATATYPE_NULL) return;
    if (Recording* const recording = Recording::current())
        recording->keep(type_);  // recorded operations need it
    else
        real::Type_free(&type_);
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

Datatype Datatype::of_pieces(const std::vector<Piece>& pieces)
{
    constexpr std::int64_t most = 1 << 30;  // elements that a function without large counts takes
    std::vector<int> lengths;
    std::vector<MPI_Aint> begins;
    std::vector<MPI_Datatype> types;
    for (const Piece& piece : pieces) {
        for (std::int64_t done = 0; done < piece.count; done += lengths.back()) {
            lengths.push_back(static_cast<int>(std::min(most, piece.count - done)));
            begins.push_back(piece.begin +
                             static_cast<MPI_Aint>(done) * (done > 0 ? extent_of(piece.type) : 0));
            types.push_back(piece.type);
        }
    }
    const int count = static_cast<int>(lengths.size());
    MPI_Datatype result = MPI_DATATYPE_NULL;
    if (std::ranges::adjacent_find(types, std::ranges::not_equal_to()) == types.end() && count > 0)
        check(PMPI_Type_create_hindexed(count, lengths.data(), begins.data(), types.front(),
                                        &result));
    else
        check(PMPI_Type_create_struct(count, lengths.data(), begins.data(), types.data(), &result));
    return committed(result);
}

Datatype Datatype::displaced(MPI_Datatype type, MPI_Aint bytes)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed_block(1, 1, &bytes, type, &result));
    return committed(result);
}

}  // namespace laneway
