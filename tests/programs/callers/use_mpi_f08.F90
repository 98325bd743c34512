! SPDX-License-Identifier: BSD-3-Clause
! application.c, with the module mpi_f08.
program use_mpi_f08
  use mpi_f08
  implicit none
#define HANDLE type(MPI_Datatype)
#include "body.inc"
