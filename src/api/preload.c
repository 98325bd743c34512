/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblaneway_preload.so: goes into LD_PRELOAD of any program, and knows no MPI library itself.
 *
 * It defines the collectives under both of their names. A program that is linked with an MPI library has
 * brought it along when it starts. A program that opens one later has it when it calls its first collective. The
 * build of Laneway for that library is loaded then: liblaneway_core.so, which lies beside this file or in
 * a neighbouring build. From then on
 *
 *     PMPI_X   is the core's laneway_x, or one that it has to count calls of the library's, or the
 *              library's PMPI_X itself;
 *     MPI_X    is that of a tool, if one comes after us in the order of loading (it will call PMPI_X),
 *              else the same as PMPI_X.
 *
 * Programs, Fortran bindings that call PMPI_X (Open MPI's) and tools before and after us are all
 * served this way, each call once. Whoever looks either name up in the library gets PMPI_X from lookups.c. In a
 * process without MPI nothing here is ever called. With an MPI library that nobody knows, or where the core cannot
 * be loaded, calls go through coreless.c.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/coreless.h"
#include "api/library.h"
#include "api/loaded_files.h"
#include "api/lookups.h"
#include "api/narrowing.h"
#include "api/presence.h"
#include "api/recorded.h"
#include "api/second_library.h"
#include "api/words.h"

/* ---- the functions ---- */

enum {
#define PLACE(name, ...) at_##name,
    LANEWAY_TAKEN(PLACE) functions
};

static const struct {
    const char* mpi;
    const char* pmpi;
    const char* core;
} names[] = {
#define NAMES(name, in_core, ...) {"MPI_" #name, "PMPI_" #name, "laneway_" #in_core},
    LANEWAY_TAKEN(NAMES)};

/* Where calls of MPI_X and PMPI_X go; null until the first call of any. */
static Function* _Atomic shown[functions];
static Function* _Atomic served[functions];

static pthread_once_t resolved = PTHREAD_ONCE_INIT;
static void resolve(void);

static inline Function* target(Function* _Atomic* place)
{
    Function* function = atomic_load_explicit(place, memory_order_acquire);
    if (__builtin_expect(function == NULL, 0)) {
        pthread_once(&resolved, resolve);
        function = atomic_load_explicit(place, memory_order_acquire);
    }
    return function;
}

#define ENTRY(symbol, place, arguments)                                           \
    __attribute__((visibility("default"))) int symbol(WORDS_##arguments);         \
    int symbol(WORDS_##arguments)                                                 \
    {                                                                             \
        return ((int (*)(WORDS_##arguments))target(&(place)))(GIVEN_##arguments); \
    }
#define ENTRIES(name, in_core, ...) BOTH_ENTRIES(name, __VA_ARGS__)
#define BOTH_ENTRIES(name, arguments, ...)         \
    ENTRY(MPI_##name, shown[at_##name], arguments) \
    ENTRY(PMPI_##name, served[at_##name], arguments)
LANEWAY_TAKEN(ENTRIES)

/* Open MPI 4 has the persistent collectives as extensions. */
#define EXTENSION(name, in_core, ...) BOTH_EXTENSIONS(name, __VA_ARGS__)
#define BOTH_EXTENSIONS(name, arguments, ...)       \
    ENTRY(MPIX_##name, shown[at_##name], arguments) \
    ENTRY(PMPIX_##name, served[at_##name], arguments)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, EXTENSION)
LANEWAY_BARRIER(LANEWAY_PERSISTENT, EXTENSION)

/* Programs may ask for a function by a weak reference, and find this one where their library has none
 * (mpi4py does). A large-count form is the same call as the common form where the counts, which stand
 * in the same places, fit into an int. Arrays of counts are copied. Larger counts of a served collective
 * are left to the core. */
#define COUNT(matters, count) \
    if (matters) laneway_narrow_count(&call, count)
#define ROW(blocks, counts) (counts) = laneway_narrow_row(&call, counts, blocks)
#define ROWS(matter, counts, places) \
    if (matter) {                    \
        ROW(call.blocks, counts);    \
        ROW(call.blocks, places);    \
    }
#define SOURCES laneway_neighbors(&call).sources
#define DESTINATIONS laneway_neighbors(&call).destinations
#define IS_ROOT(root) (call.is_inter ? IS_ROOT_OF_OTHERS(root) : call.rank == (int)(root))
#define TAKES_PART(root) (!call.is_inter || (int)(root) >= 0 || IS_ROOT_OF_OTHERS(root))
#define HAS_BLOCK(root, address) (!IS_IN_PLACE(address) && (!call.is_inter || (int)(root) >= 0))
#define NARROWED_AS(common, otherwise, lives, arguments, comm, narrow) \
    static int narrowed_##common(WORDS_##arguments)                    \
    {                                                                  \
        Narrowing call = laneway_narrow(comm);                         \
        narrow;                                                        \
        if (call.code == 0 && call.too_large)                          \
            call.code = otherwise;                                     \
        else if (call.code == 0)                                       \
            call.code = common(GIVEN_##arguments);                     \
        return laneway_narrowed(&call, lives);                         \
    }
#define NARROWED_BOTH(name, ...)                                     \
    NARROWED_AS(MPI_##name, laneway_count_error(&call), __VA_ARGS__) \
    NARROWED_AS(PMPI_##name, laneway_count_error(&call), __VA_ARGS__)
#define NARROWED_SERVED(name, in_core, n, ...)                                      \
    NARROWED_AS(MPI_##name, PMPI_##name##_c(GIVEN_##n), UNTIL_DONE, n, __VA_ARGS__) \
    NARROWED_AS(PMPI_##name, laneway_count_error(&call), UNTIL_DONE, n, __VA_ARGS__)
#define NARROWED(name, in_core, ...) NARROWED_BOTH(name, UNTIL_DONE, __VA_ARGS__)
#define NARROWED_REQUEST(name, in_core, ...) NARROWED_BOTH(name, WHILE_UNDER_WAY, __VA_ARGS__)
#define NARROWED_PERSISTENT(name, in_core, ...) NARROWED_BOTH(name, FOR_EVER, __VA_ARGS__)
LANEWAY_SERVED(LANEWAY_BLOCKING, NARROWED_SERVED)
LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, NARROWED)
LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NARROWED_REQUEST)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, NARROWED_PERSISTENT)

/* Where the library has no persistent collectives, or no MPI_Comm_idup_with_info, neither have we. This code stands for
 * a missing function to mpi4py, which asks for them weakly: it is mpi4py's own, and no MPI library has it. */
static int unavailable(void) { return (int)0xAAAAAAAA; }

/* ---- where calls go ---- */

/* The core for the library, or null: then, where it should be there, the calls go to coreless.c. A
 * program that is linked with Laneway has brought it itself. */
static void* load_core(const Library* library)
{
    void* linked = dlopen("liblaneway.so." LANEWAY_ABI, RTLD_LAZY | RTLD_NOLOAD);
    if (linked != NULL) return linked;
    if (library->family == NULL) {
        laneway_go_coreless(library, "no build of Laneway knows the MPI library", library->name,
                            library->path);
        return NULL;
    }
    if (library->defect != NULL) {
        laneway_go_coreless(library, library->defect, library->path, NULL);
        return NULL;
    }
    const char* const file = laneway_find_core(library);
    if (file == NULL) {
        laneway_go_coreless(library, "no build of Laneway fits the MPI library", library->path,
                            errno != 0 ? strerror(errno) : NULL);
        return NULL;
    }
    /* The core finds the library among the global names. It does not ask for it by file, since
     * libraries with one binary interface have files of different names. */
    void* core = NULL;
    if (dlopen(library->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != NULL)
        core = dlopen(file, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
    if (core == NULL) {
        laneway_go_coreless(library, "cannot load it:", dlerror(), NULL);
        return NULL;
    }
    void (*prepare)(void);
    *(void**)&prepare = dlsym(core, "laneway_prepare");
    if (prepare == NULL) { /* it would not agree with the cores of other processes, either */
        laneway_go_coreless(library, "the build of Laneway is of another version:", file, NULL);
        return NULL;
    }
    prepare();
    return core;
}

/* The MPI_X of a tool that is loaded after us, or null. */
static Function* tool_after_us(const char* name, const Library* library)
{
    void* next = dlsym(RTLD_NEXT, name);
    return next == NULL || strcmp(laneway_file_of(next), library->path) == 0 ? NULL
                                                                             : as_function(next);
}

static void missing(void)
{
    fputs("laneway: an MPI collective was called that no MPI library here defines\n", stderr);
    abort();
}

/* Substitutes for functions that the library lacks and programs may ask for weakly. One stands in as PMPI_X, if the
 * core has none either, the other as MPI_X, so that tools see the common form. */
static const struct {
    Function* served;
    Function* shown;
} substitutes[functions] = {
#define NARROW(name, ...) \
    [at_##name##_c] = {(Function*)narrowed_PMPI_##name, (Function*)narrowed_MPI_##name},
#define UNAVAILABLE(name, ...) [at_##name] = {(Function*)unavailable, (Function*)unavailable},
    LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING, NARROW) LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NARROW)
        LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, NARROW)
            LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, UNAVAILABLE)
                LANEWAY_BARRIER(LANEWAY_PERSISTENT, UNAVAILABLE) UNAVAILABLE(Comm_idup_with_info)};

/* PMPIX_X in place of PMPI_X, or null. */
static Function* extension(void* from, const char* pmpi)
{
    char name[64];
    snprintf(name, sizeof name, "PMPIX_%s", pmpi + strlen("PMPI_"));
    return as_function(dlsym(from, name));
}

/* A function that was looked up in an MPI library, before any was called. */
static const void* looked_up;

/* The library that calls go to; null before they go anywhere. */
static const Library* _Atomic used;

/* Runs once. A program that is linked with an MPI library runs it when loaded, any other when it looks up or calls its
 * first collective. The earlier the better: there are free file descriptors, and a stack of the usual size. */
static void resolve(void)
{
    const Library* const library = laneway_find_library(looked_up);
    void* core = library->handle != NULL ? load_core(library) : NULL;
    if (library->handle != NULL) {
        laneway_leave_mark(library->family != NULL && library->defect == NULL);
        laneway_narrow_for(library->handle);
        if (core != NULL) laneway_say_of_second_library(library);
    }
    void* from = library->handle != NULL ? library->handle : RTLD_NEXT;
    Function* (*counting)(const char*, Function*) = laneway_coreless;
    if (core != NULL) *(void**)&counting = dlsym(core, "laneway_counting");
    for (int i = 0; i < functions; ++i) {
        Function* in_library = as_function(dlsym(from, names[i].pmpi));
        if (in_library == NULL) in_library = extension(from, names[i].pmpi);
        Function* in_core = core != NULL ? as_function(dlsym(core, names[i].core)) : NULL;
        if (in_core == NULL && counting != NULL && in_library != NULL)
            in_core = counting(names[i].mpi, in_library);
        Function* mpi = tool_after_us(names[i].mpi, library);
        if (mpi == NULL && in_library == NULL) mpi = substitutes[i].shown;
        if (mpi == NULL) mpi = in_core;
        if (mpi == NULL) mpi = as_function(dlsym(from, names[i].mpi));
        Function* pmpi = in_core != NULL ? in_core : in_library;
        if (mpi == NULL) mpi = pmpi;
        mpi = laneway_recorded(core, names[i].mpi, 0, mpi);
        pmpi = laneway_recorded(core, names[i].mpi, 1, pmpi);
        if (pmpi == NULL) pmpi = substitutes[i].served;
        atomic_store_explicit(&served[i], pmpi != NULL ? pmpi : missing, memory_order_release);
        atomic_store_explicit(&shown[i], mpi != NULL ? mpi : missing, memory_order_release);
    }
    atomic_store_explicit(&used, library, memory_order_release);
}

/* ---- lookups by a handle of the library ---- */

Function* laneway_entry(const char* name)
{
    static Function* const entries[functions] = {
#define FUNCTION(name, ...) (Function*)PMPI_##name,
        LANEWAY_TAKEN(FUNCTION)};
    if (*name == 'P') ++name;
    const char* const rest = strchr(name, '_');
    if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "MPIX_", 5) != 0) return NULL;
    for (int i = 0; i < functions; ++i)
        if (strcmp(strchr(names[i].mpi, '_'), rest) == 0) return entries[i];
    return NULL;
}

int laneway_serves_library_of(const void* address)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (!laneway_is_of_mpi(address)) return 0;
    if (atomic_load_explicit(&used, memory_order_acquire) == NULL) {
        pthread_mutex_lock(&mutex);
        if (looked_up == NULL) looked_up = address;
        pthread_mutex_unlock(&mutex);
        pthread_once(&resolved, resolve);
    }
    const Library* const library = atomic_load_explicit(&used, memory_order_acquire);
    return strcmp(library->path, laneway_file_of(address)) == 0;
}

__attribute__((constructor)) static void begin(void)
{
    if (laneway_is_linked_with_mpi()) pthread_once(&resolved, resolve);
}
