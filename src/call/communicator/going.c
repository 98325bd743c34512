/* SPDX-License-Identifier: BSD-3-Clause */
#include "call/communicator/going.h"

#include <stddef.h>
#include <unwind.h>

/* A call that has not returned: where its frame begins, and where it returns to. */
typedef struct StackCall {
    uintptr_t frame, returns_to;
} StackCall;

enum { INNERMOST = 4 };

/* The latest communicator that goes in a thread. The calls are the innermost few that the library is in while it
 * deletes attributes one after the other. */
static _Thread_local struct {
    uintptr_t comm;
    size_t calls; /* none: nothing goes */
    StackCall call[INNERMOST];
} noted;

typedef struct StackWalk {
    uintptr_t from;
    int found;
} StackWalk;

static StackCall call_of(struct _Unwind_Context* function)
{
    return (StackCall){_Unwind_GetCFA(function), _Unwind_GetIP(function)};
}

/* Called for one function after another, from the innermost outwards. */
static _Unwind_Reason_Code note_call(struct _Unwind_Context* function, void* data)
{
    const StackWalk* const walk = data;
    if (_Unwind_GetCFA(function) <= walk->from) return _URC_NO_REASON;
    noted.call[noted.calls++] = call_of(function);
    return noted.calls < INNERMOST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static _Unwind_Reason_Code find_call(struct _Unwind_Context* function, void* data)
{
    StackWalk* const walk = data;
    const StackCall call = call_of(function);
    for (size_t i = 0; i < noted.calls && !walk->found; ++i)
        walk->found =
            noted.call[i].frame == call.frame && noted.call[i].returns_to == call.returns_to;
    return walk->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void laneway_note_going(uintptr_t comm, const void* frame)
{
    StackWalk walk = {(uintptr_t)frame, 0};
    noted.comm = comm;
    noted.calls = 0;
    _Unwind_Backtrace(note_call, &walk);
}

int laneway_is_going(uintptr_t comm)
{
    StackWalk walk = {0, 0};
    if (noted.calls == 0 || noted.comm != comm) return 0;
    _Unwind_Backtrace(find_call, &walk);
    if (!walk.found) noted.calls = 0;
    return walk.found;
}
