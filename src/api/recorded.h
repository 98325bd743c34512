/* SPDX-License-Identifier: BSD-3-Clause */
/* liblaneway_flight.so is the preload with more functions, and all of them are recorded (LANEWAY_FLIGHT). */
#ifndef LANEWAY_API_RECORDED_H
#define LANEWAY_API_RECORDED_H

#include <dlfcn.h>
#include <stddef.h>

#include "api/words.h"
#include "library/interposed.h"

/* The functions that the preload takes the place of. */
#ifdef LANEWAY_FLIGHT
#define LANEWAY_TAKEN(F) LANEWAY_ALL(F) LANEWAY_RECORDED(F)
#else
#define LANEWAY_TAKEN(F) LANEWAY_ALL(F)
#endif

/* The function `next`, or one of the core's that records calls of `mpi` and hands them on to it. */
static inline Function* laneway_recorded(void* core, const char* mpi, int under_pmpi,
                                         Function* next)
{
#ifdef LANEWAY_FLIGHT
    if (core == NULL || next == NULL) return next;
    Function* (*recording)(const char*, int, Function*);
    *(void**)&recording = dlsym(core, "laneway_recording");
    Function* const found = recording != NULL ? recording(mpi, under_pmpi, next) : NULL;
    return found != NULL ? found : next;
#else
    (void)core, (void)mpi, (void)under_pmpi;
    return next;
#endif
}

#endif
