#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: mpi-library.sh MPICC
# Prints the family and version of the MPI library behind a compiler wrapper, such as
# "openmpi 4.1.4" or "mpich 4.0.2"; "abi 1.0" where programs are built for the standard ABI, which
# several libraries have. Asks the preprocessor, because the options that print a version differ
# between libraries while the macros of mpi.h are stable.
set -eu

macros=$(printf '%s\n' '#include <mpi.h>' \
    'openmpi: OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION' \
    'mpich: MPICH_VERSION' \
    'abi: MPI_ABI_VERSION.MPI_ABI_SUBVERSION' | "$1" -E -P -x c - | tr -d '" ')

# A macro that mpi.h does not define stays a name; a version starts with a digit.
library=$(printf '%s\n' "$macros" | sed -n 's/^\([a-z]*\):\([0-9][0-9.]*\).*/\1 \2/p' | head -n 1)
if [ -z "$library" ]; then
    echo "$1: neither Open MPI nor MPICH nor the standard ABI (mpi.h defines no version of any)" >&2
    exit 1
fi
echo "$library"
