/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that open an MPI library and look its functions up by that handle (Julia's MPI.jl, ctypes) pass over
 * whatever is preloaded. So the preload answers dlsym, too: whoever looks a collective up in the MPI library gets the
 * preload's PMPI_X.
 * It is PMPI_X for both names, since tools that define MPI_X do not see such calls without Laneway, either. A tool
 * that has looked up in this way the function that it calls is not called again.
 */
#define _GNU_SOURCE
#include "api/lookups.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/library.h"
#include "api/loaded_files.h"

#ifdef __GLIBC__ /* others cannot be asked for the next dlsym without dlsym */

typedef void* Lookup(void* handle, const char* name);

static const char* const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};

/* The dlsym of whoever comes next, in the end the C library's: in a version that it has on some architecture. */
static Lookup* next_lookup(void)
{
    static Lookup* _Atomic next;
    Lookup* found = atomic_load_explicit(&next, memory_order_relaxed);
    for (size_t i = 0; found == NULL && i < sizeof versions / sizeof *versions; ++i)
        *(void**)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (found == NULL) {
        fputs("laneway: the C library has no dlsym\n", stderr);
        abort();
    }
    atomic_store_explicit(&next, found, memory_order_relaxed);
    return found;
}

/* Is the code at `address` Laneway's: the preload, a core, or a program that has the library in it? */
static int is_laneway(const void* address)
{
    const char* const path = laneway_file_of(address);
    if (strcmp(path, laneway_file_of(versions)) == 0) return 1;
    void* file = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (file == NULL)
        file = dlopen(NULL, RTLD_LAZY); /* the program, under a name that leads nowhere */
    const void* const own = next_lookup()(file, "laneway_prepare");
    const int is = own != NULL && strcmp(laneway_file_of(own), path) == 0;
    dlclose(file);
    return is;
}

/* Returns `found`, or in its place `ours`: not to the MPI library itself, nor to Laneway, which want the library's. */
static void* answer(void* found, Function* ours, const void* caller)
{
    if (found == NULL || strcmp(laneway_file_of(caller), laneway_file_of(found)) == 0 ||
        is_laneway(caller) || !laneway_serves_library_of(found))
        return found;
    void* address = NULL;
    memcpy(&address, &ours, sizeof ours);
    return address;
}

/* A lookup that is none of ours ends in a jump. RTLD_NEXT and RTLD_DEFAULT mean something else for each caller, whom
 * the C library knows by the address that it returns to. */
#if defined(__has_attribute) && __has_attribute(musttail)
#define JUMP __attribute__((musttail)) return
#define WITH_JUMPS
#else
#define JUMP return
#define WITH_JUMPS __attribute__((optimize("O2")))
#endif

__attribute__((visibility("default"))) WITH_JUMPS void* dlsym(void* handle, const char* name)
{
    Lookup* const next = next_lookup();
    Function* const ours =
        handle == RTLD_NEXT || handle == RTLD_DEFAULT ? NULL : laneway_entry(name);
    if (ours == NULL) JUMP next(handle, name);
    void* const found = answer(next(handle, name), ours, __builtin_return_address(0));
    if (found != NULL) dlerror(); /* clears the error of lookups in vain */
    return found;
}

#endif
