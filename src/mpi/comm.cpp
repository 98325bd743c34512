// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm.hpp"

#include <atomic>

#include "mpi/error.hpp"

namespace laneway {
namespace {

std::atomic<int> communicators{0};
std::atomic<bool> abandoned{false};

/// While alive, errors on a communicator of the user's return to us instead of ending the job:
/// running out of communicators is no reason to.
class ErrorsReturn {
public:
    explicit ErrorsReturn(MPI_Comm comm) : comm_(comm)
    {
        check(PMPI_Comm_get_errhandler(comm_, &handler_));
        check(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    }
    ErrorsReturn(const ErrorsReturn&) = delete;
    ErrorsReturn& operator=(const ErrorsReturn&) = delete;
    ~ErrorsReturn()
    {
        PMPI_Comm_set_errhandler(comm_, handler_);
        PMPI_Errhandler_free(&handler_);
    }

private:
    MPI_Comm comm_;
    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace

Comm Comm::split(MPI_Comm parent, int color, int key)
{
    Comm child;
    {
        const ErrorsReturn guard(parent);
        check(PMPI_Comm_split(parent, color, key, &child.handle_));
    }
    if (child.handle_ == MPI_COMM_NULL) return child;
    ++communicators;
    check(PMPI_Comm_set_errhandler(child.handle_, MPI_ERRORS_RETURN));
    check(PMPI_Comm_rank(child.handle_, &child.rank_));
    check(PMPI_Comm_size(child.handle_, &child.size_));
    return child;
}

Comm::~Comm()
{
    if (handle_ == MPI_COMM_NULL) return;
    --communicators;
    if (!abandoned) PMPI_Comm_free(&handle_);
}

int Comm::alive() { return communicators; }

void Comm::abandon(bool yes) { abandoned = yes; }

}  // namespace laneway
