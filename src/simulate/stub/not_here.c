/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that algorithms refer to, and never reach where they are only recorded. They are here by name alone,
 * so this source knows no mpi.h: a function that is missing here is named by the linker. */
#include "library/interposed.h"

/* Throws: there is no MPI. (It has a result so that no compiler concludes anything from that.) */
int laneway_no_mpi(const char* function);

#define LANEWAY_NOT_HERE(name, ...) \
    int PMPI_##name(void) { return laneway_no_mpi("MPI_" #name); }
LANEWAY_SERVED(LANEWAY_BLOCKING, LANEWAY_NOT_HERE)
LANEWAY_SERVED(LANEWAY_NONBLOCKING, LANEWAY_NOT_HERE)
LANEWAY_BARRIER(LANEWAY_BLOCKING, LANEWAY_NOT_HERE)
LANEWAY_BARRIER(LANEWAY_NONBLOCKING, LANEWAY_NOT_HERE)
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_NOT_HERE)
LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, LANEWAY_NOT_HERE)
LANEWAY_NOT_HERE(Cancel)
LANEWAY_NOT_HERE(Comm_create_errhandler)
LANEWAY_NOT_HERE(Comm_get_attr)
LANEWAY_NOT_HERE(Comm_idup)
LANEWAY_NOT_HERE(Comm_rank)
LANEWAY_NOT_HERE(Comm_size)
LANEWAY_NOT_HERE(Comm_split)
LANEWAY_NOT_HERE(Errhandler_free)
LANEWAY_NOT_HERE(Error_class)
LANEWAY_NOT_HERE(Get_count)
LANEWAY_NOT_HERE(Get_processor_name)
LANEWAY_NOT_HERE(Grequest_complete)
LANEWAY_NOT_HERE(Grequest_start)
LANEWAY_NOT_HERE(Iprobe)
LANEWAY_NOT_HERE(Irecv)
LANEWAY_NOT_HERE(Isend)
LANEWAY_NOT_HERE(Issend)
LANEWAY_NOT_HERE(Op_free)
LANEWAY_NOT_HERE(Pack)
LANEWAY_NOT_HERE(Pack_size)
LANEWAY_NOT_HERE(Query_thread)
LANEWAY_NOT_HERE(Reduce_local)
LANEWAY_NOT_HERE(Request_free)
LANEWAY_NOT_HERE(Sendrecv)
LANEWAY_NOT_HERE(Start)
LANEWAY_NOT_HERE(Startall)
LANEWAY_NOT_HERE(Status_set_cancelled)
LANEWAY_NOT_HERE(Status_set_elements)
LANEWAY_NOT_HERE(Type_create_struct)
LANEWAY_NOT_HERE(Unpack)
#undef LANEWAY_NOT_HERE

/* Handles of Open MPI are addresses of objects of the library; those of others are numbers. */
#define LANEWAY_OBJECT(name) char ompi_##name;
LANEWAY_OBJECT(mpi_byte)
LANEWAY_OBJECT(mpi_comm_null)
LANEWAY_OBJECT(mpi_comm_self)
LANEWAY_OBJECT(mpi_comm_world)
LANEWAY_OBJECT(mpi_datatype_null)
LANEWAY_OBJECT(mpi_errhandler_null)
LANEWAY_OBJECT(mpi_errors_return)
LANEWAY_OBJECT(mpi_int)
LANEWAY_OBJECT(mpi_int16_t)
LANEWAY_OBJECT(mpi_int32_t)
LANEWAY_OBJECT(mpi_int64_t)
LANEWAY_OBJECT(mpi_op_band)
LANEWAY_OBJECT(mpi_op_bor)
LANEWAY_OBJECT(mpi_op_bxor)
LANEWAY_OBJECT(mpi_op_land)
LANEWAY_OBJECT(mpi_op_lor)
LANEWAY_OBJECT(mpi_op_lxor)
LANEWAY_OBJECT(mpi_op_max)
LANEWAY_OBJECT(mpi_op_maxloc)
LANEWAY_OBJECT(mpi_op_min)
LANEWAY_OBJECT(mpi_op_minloc)
LANEWAY_OBJECT(mpi_op_null)
LANEWAY_OBJECT(mpi_op_prod)
LANEWAY_OBJECT(mpi_op_replace)
LANEWAY_OBJECT(mpi_op_sum)
LANEWAY_OBJECT(mpi_packed)
LANEWAY_OBJECT(mpi_uint64_t)
LANEWAY_OBJECT(request_null)
#undef LANEWAY_OBJECT
