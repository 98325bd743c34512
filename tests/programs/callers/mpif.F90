! SPDX-License-Identifier: BSD-3-Clause
! application.c, with mpif.h.
program mpif_h
  implicit none
  include 'mpif.h'
#define HANDLE integer
#include "body.inc"
