! SPDX-License-Identifier: BSD-3-Clause
! application.c, with the module mpi.
program use_mpi
  use mpi
  implicit none
#define HANDLE integer
#include "body.inc"
