// SPDX-License-Identifier: BSD-3-Clause
#include "call/sound/borrowed_errors.hpp"

#include <map>
#include <mutex>

#include "library/error.hpp"
#include "library/quirks.hpp"
#include "messages/comm.hpp"

namespace laneway {
namespace {

/// Set in the thread whose errors return.
thread_local bool returning = false;

/// Borrowed errors are found by their communicator, not as an attribute of it: a handler is called in the
/// middle of the library.
std::mutex borrowed_mutex;
std::map<MPI_Comm, BorrowedErrors*> borrowed;

}  // namespace

BorrowedErrors::BorrowedErrors(MPI_Comm comm) : comm_(comm)
{
    check(PMPI_Comm_create_errhandler(on_error, &ours_));
    check(PMPI_Comm_get_errhandler(comm_, &users_));
    const std::scoped_lock lock(borrowed_mutex);
    borrowed[comm_] = this;
}

BorrowedErrors::~BorrowedErrors()
{
    {
        const std::scoped_lock lock(borrowed_mutex);
        borrowed.erase(comm_);
    }
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
    const std::scoped_lock lock(borrowed_mutex);
    errors_.give_back();
}

// NOLINTNEXTLINE(modernize-avoid-variadic-functions): as MPI calls it
void BorrowedErrors::on_error(MPI_Comm* comm, int* code, ...)
{
    if (returning) return;
    if (quirks().locks_in_handlers) return;  // the error returns
    {
        const std::scoped_lock lock(borrowed_mutex);
        if (const auto found = borrowed.find(*comm); found != borrowed.end())
            found->second->give_back();
    }
    PMPI_Comm_call_errhandler(*comm, *code);
}

void BorrowedErrors::give_back()
{
    MPI_Errhandler current = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm_, &current);
    if (current == ours_) PMPI_Comm_set_errhandler(comm_, users_);
    PMPI_Errhandler_free(&current);
}

}  // namespace laneway
