! SPDX-License-Identifier: BSD-3-Clause
! usage of MPI: -DMPIF, -DUSE_MPI or -DUSE_MPI_F08; -DEXTENSIONS: persistent collectives are extensions of Open MPI.
program requests_in_fortran
#ifdef USE_MPI
  use mpi
#ifdef EXTENSIONS
  use mpi_ext
#endif
#endif
#ifdef USE_MPI_F08
  use mpi_f08
#ifdef EXTENSIONS
  use mpi_f08_ext
#endif
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#ifdef EXTENSIONS
  include 'mpif-ext.h'
#endif
#endif
#ifdef USE_MPI_F08
#define REQUEST type(MPI_Request)
#else
#define REQUEST integer
#endif
#ifdef EXTENSIONS
#define INIT MPIX_Allreduce_init
#else
#define INIT MPI_Allreduce_init
#endif
#include "requests.inc"
