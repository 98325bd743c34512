// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "mpi/error.hpp"

/// The library's collectives, in place of src/mpi/real.hpp: there are none.
namespace laneway::real {

struct Absent {
    const char* name;
    template <class... Argument>
    int operator()(const Argument&...) const
    {
        return stub::no_mpi(name);
    }
};

inline constexpr Absent Bcast{"MPI_Bcast"}, Reduce{"MPI_Reduce"}, Allreduce{"MPI_Allreduce"},
    Scatter{"MPI_Scatter"}, Scatterv{"MPI_Scatterv"}, Gather{"MPI_Gather"}, Gatherv{"MPI_Gatherv"},
    Allgather{"MPI_Allgather"}, Allgatherv{"MPI_Allgatherv"}, Alltoall{"MPI_Alltoall"},
    Alltoallv{"MPI_Alltoallv"}, Reduce_scatter{"MPI_Reduce_scatter"},
    Reduce_scatter_block{"MPI_Reduce_scatter_block"}, Scan{"MPI_Scan"}, Exscan{"MPI_Exscan"},
    Barrier{"MPI_Barrier"}, Comm_free{"MPI_Comm_free"}, Cancel{"MPI_Cancel"},
    Request_free{"MPI_Request_free"};

inline int Type_free(MPI_Datatype* type) { return PMPI_Type_free(type); }

}  // namespace laneway::real
