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

typedef struct StackSearch {
    StackCall call;
    int found;
} StackSearch;

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

/* The first function that lies above the one searched for must be the one that this returns to. */
static _Unwind_Reason_Code find_caller(struct _Unwind_Context* function, void* data)
{
    StackSearch* const search = data;
    const StackCall call = call_of(function);
    if (call.frame <= search->call.frame) return _URC_NO_REASON;
    search->found = call.returns_to == search->call.returns_to;
    return _URC_END_OF_STACK;
}

int laneway_runs(const void* frame, const void* returns_to, const void* from)
{
    if (frame <= from) return 0; /* callers lie above */
    StackSearch search = {{(uintptr_t)frame, (uintptr_t)returns_to}, 0};
    _Unwind_Backtrace(find_caller, &search);
    return search.found;
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
