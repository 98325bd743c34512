/* SPDX-License-Identifier: BSD-3-Clause */
/* The ballots that the processes of a communicator exchange at its first collective call. Each process gives one, and
 * all learn the conjunction (MPI_Iallreduce of the bytes by MPI_BAND). For C and C++: a process that could not load the
 * core takes part as well (api/coreless.c). */
#ifndef LANEWAY_BALLOT_H
#define LANEWAY_BALLOT_H

#include <stdint.h>

typedef struct {         /* NOLINT(modernize-use-using): of C, too */
    uint64_t digest;     /* the digest of the settings' text */
    uint64_t complement; /* bits in which digests differ are missing from the conjunction of both */
    uint64_t devices;    /* the digest of the network devices that the process is restricted to */
    uint64_t devices_complement;
    uint64_t flags;
} LanewayBallot;

/* Flags of a process; in the conjunction, of all. */
#define LANEWAY_HAS_CORE 1u    /* it has settings, and can do as they say */
#define LANEWAY_HAS_NO_CORE 2u /* it serves everything natively, whatever the others do */
#define LANEWAY_WAITS 4u       /* it waits for the outcome in that first call */
#define LANEWAY_IN_ONE_ORDER \
    8u /* its collectives on all communicators follow each other in one order */
#define LANEWAY_HAS_SEVERAL_DEVICES 16u /* its messages are restricted to several devices */

#endif
