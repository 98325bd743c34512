! SPDX-License-Identifier: BSD-3-Clause
! usage of MPI: -DMPIF, -DUSE_MPI or -DUSE_MPI_F08. Vector collectives, blocking and nonblocking.
program vectors_in_fortran
#ifdef USE_MPI
  use mpi
#endif
#ifdef USE_MPI_F08
  use mpi_f08
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
#ifdef USE_MPI_F08
#define REQUEST type(MPI_Request)
#define HANDLE type(MPI_Datatype)
#else
#define REQUEST integer
#define HANDLE integer
#endif
#include "vectors.inc"
