// SPDX-License-Identifier: BSD-3-Clause
#include "core/borrowed_errors.hpp"

#include "core/state.hpp"
#include "mpi/error.hpp"

namespace laneway {
namespace {

/// Set in the thread whose errors return.
thread_local bool returning = false;

}  // namespace

BorrowedErrors::BorrowedErrors(MPI_Comm comm) : comm_(comm)
{
    check(PMPI_Comm_create_errhandler(on_error, &ours_));
    check(PMPI_Comm_get_errhandler(comm_, &users_));
}

BorrowedErrors::~BorrowedErrors()
{
    if (Comm::is_abandoned()) return;  // MPI may be at its end
    PMPI_Errhandler_free(&ours_);
    PMPI_Errhandler_free(&users_);
}

BorrowedErrors::Loan::Loan(BorrowedErrors& errors) : errors_(errors)
{
    check(PMPI_Comm_set_errhandler(errors_.comm_, errors_.ours_));
    returning = true;
}

BorrowedErrors::Loan::~Loan()
{
    returning = false;
    errors_.give_back();
}

void BorrowedErrors::on_error(MPI_Comm* comm, int* code, ...)
{
    if (returning) return;
    State* state = State::existing(*comm);
    if (state && state->errors()) state->errors()->give_back();
    PMPI_Comm_call_errhandler(*comm, *code);
}

void BorrowedErrors::give_back()
{
    const std::scoped_lock lock(mutex_);
    MPI_Errhandler current = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm_, &current);
    if (current == ours_) PMPI_Comm_set_errhandler(comm_, users_);
    PMPI_Errhandler_free(&current);
}

}  // namespace laneway
