/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: takes the place of what gives memory. While it is told to, it counts what Laneway asks for, and what all
 * others ask for: the MPI library, and what lies below it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own names of its functions. */
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t number, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

static atomic_bool counts;
static atomic_int by_laneway, by_others;

/* Whether this thread asks who a caller is: whoever does so may ask for memory himself. */
static _Thread_local int asks;

static void count(const void* caller)
{
    Dl_info place;
    if (!counts || asks) return;
    asks = 1;
    /* Neither MPI library is written in C++: what its library asks for, it asks for us. */
    const int ours = dladdr(caller, &place) != 0 && (strstr(place.dli_fname, "/liblaneway") ||
                                                     strstr(place.dli_fname, "/libstdc++"));
    atomic_fetch_add(ours ? &by_laneway : &by_others, 1);
    asks = 0;
}

/* Counts from now on, or no longer; `ours` and `others` become the counts so far. */
void count_allocations(int yes, int* ours, int* others)
{
    counts = yes != 0;
    *ours = by_laneway;
    *others = by_others;
}

#define CALLER __builtin_return_address(0)

void* malloc(size_t bytes)
{
    count(CALLER);
    return __libc_malloc(bytes);
}

void* calloc(size_t number, size_t bytes)
{
    count(CALLER);
    return __libc_calloc(number, bytes);
}

void* realloc(void* old, size_t bytes)
{
    count(CALLER);
    return __libc_realloc(old, bytes);
}

void* memalign(size_t alignment, size_t bytes)
{
    count(CALLER);
    return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes)
{
    count(CALLER);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** result, size_t alignment, size_t bytes)
{
    count(CALLER);
    *result = __libc_memalign(alignment, bytes);
    return *result ? 0 : ENOMEM;
}

/* Every operator new, by its name in object files: simple, of arrays, aligned, and those that do not throw. */
#define NEW(name, ...)                   \
    void* name(size_t bytes __VA_ARGS__) \
    {                                    \
        count(CALLER);                   \
        return __libc_malloc(bytes);     \
    }
#define ALIGNED(name, ...)                                 \
    void* name(size_t bytes, size_t alignment __VA_ARGS__) \
    {                                                      \
        count(CALLER);                                     \
        return __libc_memalign(alignment, bytes);          \
    }
#define NOTHROW , const void* nothrow __attribute__((unused))
NEW(_Znwm)
NEW(_Znam)
NEW(_ZnwmRKSt9nothrow_t, NOTHROW)
NEW(_ZnamRKSt9nothrow_t, NOTHROW)
ALIGNED(_ZnwmSt11align_val_t)
ALIGNED(_ZnamSt11align_val_t)
ALIGNED(_ZnwmSt11align_val_tRKSt9nothrow_t, NOTHROW)
ALIGNED(_ZnamSt11align_val_tRKSt9nothrow_t, NOTHROW)
