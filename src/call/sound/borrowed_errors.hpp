// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway {

/// The errors of a communicator of the user's while a private one is split off it. The split may fail, and
/// must then neither end the job nor call the user's error handler. MPI has no split that tells its
/// errors to the caller alone, so a handler of ours takes the place of the user's meanwhile.
///
/// Other threads may use the communicator at the same time. An error of theirs finds our handler,
/// which gives the user's back at once and calls it. A handler that they set stays. One of ours that
/// they took for the user's, and set again later, gives way at the first error. (MPICH allows no
/// MPI in a handler where there are threads: there the other thread's call returns its error.)
class BorrowedErrors {
public:
    explicit BorrowedErrors(MPI_Comm comm);
    BorrowedErrors(const BorrowedErrors&) = delete;
    BorrowedErrors& operator=(const BorrowedErrors&) = delete;
    ~BorrowedErrors();

    /// Runs `body` such that errors of the calling thread on the communicator return.
    template <class Body>
    void while_returning(const Body& body)
    {
        const Loan loan(*this);
        body();
    }

private:
    class Loan {
    public:
        explicit Loan(BorrowedErrors& errors);
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan();

    private:
        BorrowedErrors& errors_;
    };

    static void on_error(MPI_Comm* comm, int* code, ...);
    void give_back();

    MPI_Comm comm_;
    MPI_Errhandler users_ = MPI_ERRHANDLER_NULL;
    MPI_Errhandler ours_ = MPI_ERRHANDLER_NULL;
};

}  // namespace laneway
