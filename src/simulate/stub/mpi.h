// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// A stand-in for an MPI library where algorithms are only recorded. Types have sizes and bounds, operators are
/// commutative, and nothing is ever sent. All functions that a text calls without a recorder say so.
namespace laneway::stub {

/// A datatype as far as texts ask: its size, where its data lie, and what it is a row of.
struct Type {
    std::int64_t size = 0;
    std::int64_t lower_bound = 0, extent = 0;
    std::int64_t true_lower_bound = 0, true_extent = 0;
    const Type* row_of = nullptr;  ///< the element of a contiguous type
    bool named = false;
};

constexpr Type predefined(std::int64_t size)
{
    return {.size = size, .extent = size, .true_extent = size, .named = true};
}

inline constexpr Type byte = predefined(1), int16 = predefined(2), int32 = predefined(4),
                      int64 = predefined(8), uint64 = predefined(8);

/// Throws std::logic_error. (It has a result so that no compiler concludes anything from that.)
int no_mpi(const char* function);

}  // namespace laneway::stub

using MPI_Datatype = const laneway::stub::Type*;
using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Comm = int;
using MPI_Op = int;
using MPI_Request = int;
struct MPI_Status {
    int MPI_ERROR;
};

#define MPI_VERSION 3

#define MPI_DATATYPE_NULL (static_cast<MPI_Datatype>(nullptr))
#define MPI_BYTE (&laneway::stub::byte)
#define MPI_PACKED (&laneway::stub::byte)
#define MPI_INT16_T (&laneway::stub::int16)
#define MPI_INT32_T (&laneway::stub::int32)
#define MPI_INT (&laneway::stub::int32)
#define MPI_INT64_T (&laneway::stub::int64)
#define MPI_UINT64_T (&laneway::stub::uint64)

#define MPI_BOTTOM (static_cast<void*>(nullptr))
#define MPI_IN_PLACE (reinterpret_cast<void*>(-1))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))

enum : int {
    MPI_SUCCESS,
    MPI_ERR_COUNT,
    MPI_ERR_TAG,
    MPI_ERR_IN_STATUS,
    MPI_ERR_PENDING,
    MPI_ERR_OTHER,
    MPI_ERR_TRUNCATE,
    MPI_COMM_NULL = 0,
    MPI_COMM_WORLD,
    MPI_COMM_SELF,
    MPI_REQUEST_NULL = 0,
    MPI_OP_NULL = 0,
    MPI_SUM,
    MPI_MIN,
    MPI_MAX,
    MPI_PROD,
    MPI_LAND,
    MPI_BAND,
    MPI_LOR,
    MPI_BOR,
    MPI_LXOR,
    MPI_BXOR,
    MPI_MAXLOC,
    MPI_MINLOC,
    MPI_UNDEFINED = -1,
    MPI_PROC_NULL = -2,
    MPI_ERRORS_RETURN = 0,
    MPI_TAG_UB = 0,
    MPI_MAX_PROCESSOR_NAME = 256,
    MPI_COMBINER_NAMED = 0,
    MPI_COMBINER_DUP,
    MPI_COMBINER_CONTIGUOUS,
    MPI_COMBINER_VECTOR,
    MPI_COMBINER_INDEXED,
    MPI_COMBINER_HINDEXED,
    MPI_COMBINER_HINDEXED_BLOCK,
    MPI_COMBINER_RESIZED,
    MPI_COMBINER_OTHER,
};

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size);
int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent);
int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent);
int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                           int* combiner);
int PMPI_Type_get_contents(MPI_Datatype type, int integers, int addresses, int types, int* integer,
                           MPI_Aint* address, MPI_Datatype* content);
int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* result);
int PMPI_Type_vector(int blocks, int length, int stride, MPI_Datatype type, MPI_Datatype* result);
int PMPI_Type_indexed(int blocks, const int* lengths, const int* displacements, MPI_Datatype type,
                      MPI_Datatype* result);
int PMPI_Type_create_hindexed(int blocks, const int* lengths, const MPI_Aint* displacements,
                              MPI_Datatype type, MPI_Datatype* result);
int PMPI_Type_create_hindexed_block(int blocks, int length, const MPI_Aint* displacements,
                                    MPI_Datatype type, MPI_Datatype* result);
int PMPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent,
                             MPI_Datatype* result);
int PMPI_Type_commit(MPI_Datatype* type);
int PMPI_Type_free(MPI_Datatype* type);
int PMPI_Op_commutative(MPI_Op op, int* commutative);

/// Functions that no recorded text reaches.
#define LANEWAY_NOT_HERE(name)                      \
    template <class... Argument>                    \
    int PMPI_##name(Argument&&...)                  \
    {                                               \
        return laneway::stub::no_mpi("MPI_" #name); \
    }
LANEWAY_NOT_HERE(Type_create_struct)
LANEWAY_NOT_HERE(Isend)
LANEWAY_NOT_HERE(Issend)
LANEWAY_NOT_HERE(Irecv)
LANEWAY_NOT_HERE(Wait)
LANEWAY_NOT_HERE(Waitall)
LANEWAY_NOT_HERE(Waitsome)
LANEWAY_NOT_HERE(Test)
LANEWAY_NOT_HERE(Testsome)
LANEWAY_NOT_HERE(Testall)
LANEWAY_NOT_HERE(Iprobe)
LANEWAY_NOT_HERE(Error_class)
LANEWAY_NOT_HERE(Get_count)
LANEWAY_NOT_HERE(Sendrecv)
LANEWAY_NOT_HERE(Reduce_local)
LANEWAY_NOT_HERE(Pack)
LANEWAY_NOT_HERE(Pack_size)
LANEWAY_NOT_HERE(Unpack)
LANEWAY_NOT_HERE(Comm_split)
LANEWAY_NOT_HERE(Comm_set_errhandler)
LANEWAY_NOT_HERE(Comm_get_attr)
LANEWAY_NOT_HERE(Comm_rank)
LANEWAY_NOT_HERE(Comm_size)
LANEWAY_NOT_HERE(Get_processor_name)
#undef LANEWAY_NOT_HERE
