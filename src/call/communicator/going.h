/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator goes while the MPI library deletes its attributes, in whatever call it does so. Functions of the
 * program are called then, which may still use the communicator; its handle is another one's next. The stack tells
 * when this is over: the library's call has returned. For C and C++: a process that could not load the core hears of
 * it as well (api/vote.c). */
#ifndef LANEWAY_GOING_H
#define LANEWAY_GOING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a function still runs that noted its frame and where it returns to. It is then a caller of the one whose frame
 * is `from`. It may have been left by longjmp, which tells nobody. */
int laneway_runs(const void* frame, const void* returns_to, const void* from);

/* To be called by the function that the library calls to delete our attribute of a communicator. `comm` is the
 * communicator's handle as a number, `frame` the function's frame. */
void laneway_note_going(uintptr_t comm, const void* frame);

/* Whether the communicator goes in the calling thread. */
int laneway_is_going(uintptr_t comm);

#ifdef __cplusplus
}
#endif

#endif
