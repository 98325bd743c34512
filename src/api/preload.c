/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblaneway_preload.so: goes into LD_PRELOAD of any program, and knows no MPI library itself.
 *
 * It defines the collectives under both of their names. Whoever calls one first has brought an MPI
 * library along: the build of Laneway for it is loaded then, liblaneway_core.so, which lies beside
 * this file or in a neighbouring build. From then on
 *
 *     PMPI_X   is the core's laneway_x, or one that it has to count calls of the library's, or the
 *              library's PMPI_X itself;
 *     MPI_X    is that of a tool, if one comes after us in the order of loading (it will call PMPI_X),
 *              else the same as PMPI_X.
 *
 * Programs, Fortran bindings that call PMPI_X (Open MPI's) and tools before and after us are all
 * served this way, each call once. In a process without MPI nothing here is ever called; with an
 * MPI library that there is no build for, calls pass through.
 *
 * Arguments are passed on unread, as words: all arguments of these functions are integers or
 * addresses, and the calling conventions of the 64-bit systems put either into the same registers
 * or stack slots, whatever mpi.h makes of the handles.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/narrowing.h"
#include "api/presence.h"
#include "mpi/interposed.h"

_Static_assert(sizeof(intptr_t) == 8, "arguments are passed on as 64-bit words");

typedef void Function(void);

static Function* as_function(void* address)
{
    Function* function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* ---- the functions ---- */

enum {
#define PLACE(name, ...) at_##name,
    LANEWAY_ALL(PLACE) functions
};

static const struct {
    const char* mpi;
    const char* pmpi;
    const char* core;
} names[] = {
#define NAMES(name, in_core, ...) {"MPI_" #name, "PMPI_" #name, "laneway_" #in_core},
    LANEWAY_ALL(NAMES)};

/* Where calls of MPI_X and PMPI_X go; null until the first call of any. */
static Function* _Atomic shown[functions];
static Function* _Atomic served[functions];

static void resolve(void);

static inline Function* target(Function* _Atomic* place)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Function* function = atomic_load_explicit(place, memory_order_acquire);
    if (__builtin_expect(function == NULL, 0)) {
        pthread_once(&once, resolve);
        function = atomic_load_explicit(place, memory_order_acquire);
    }
    return function;
}

#define WORDS_1 Word a
#define WORDS_2 WORDS_1, Word b
#define WORDS_3 WORDS_2, Word c
#define WORDS_5 WORDS_3, Word d, Word e
#define WORDS_6 WORDS_5, Word f
#define WORDS_7 WORDS_6, Word g
#define WORDS_8 WORDS_7, Word h
#define WORDS_9 WORDS_8, Word i
#define WORDS_10 WORDS_9, Word j
#define WORDS_11 WORDS_10, Word k
#define GIVEN_1 a
#define GIVEN_2 GIVEN_1, b
#define GIVEN_3 GIVEN_2, c
#define GIVEN_5 GIVEN_3, d, e
#define GIVEN_6 GIVEN_5, f
#define GIVEN_7 GIVEN_6, g
#define GIVEN_8 GIVEN_7, h
#define GIVEN_9 GIVEN_8, i
#define GIVEN_10 GIVEN_9, j
#define GIVEN_11 GIVEN_10, k

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
LANEWAY_ALL(ENTRIES)

/* Programs may ask for a function by a weak reference, and find this one where their library has none
 * (mpi4py does). A large-count form is the same call as the common form where the counts, which stand
 * in the same places, fit into an int; arrays of them are copied. Larger counts of a served collective
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
LANEWAY_REGULAR(LANEWAY_BLOCKING, NARROWED_SERVED)
LANEWAY_VECTOR(LANEWAY_BLOCKING, NARROWED)
LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, NARROWED)
LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NARROWED_REQUEST)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, NARROWED_PERSISTENT)

/* Persistent collectives have no other form. mpi4py, which asks for them weakly, takes this code of its
 * own, which no MPI library has, for a function that is not there. */
static int unavailable(void) { return (int)0xAAAAAAAA; }

/* ---- the MPI library of the process ---- */

typedef struct {
    void* handle;
    char path[PATH_MAX];
    const char* family; /* of builds that fit it; null: none does */
    int major, minor;   /* -1: it does not say */
} Library;

/* The file that `address` belongs to; empty where there is none. */
static const char* file_of(const void* address)
{
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 ? info.dli_fname : "";
}

static int starts_with(const char* text, const char* start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Reads major.minor; returns what follows, a null pointer where `text` does not begin with such. */
static const char* read_release(const char* text, int* major, int* minor)
{
    char* end = NULL;
    const long first = strtol(text, &end, 10);
    if (end == text || *end != '.') return NULL;
    const char* rest = end + 1;
    const long second = strtol(rest, &end, 10);
    if (end == rest) return NULL;
    *major = (int)first;
    *minor = (int)second;
    return end;
}

/* snprintf; false where the text does not fit into a path. */
__attribute__((format(printf, 2, 3))) static int format(char path[PATH_MAX], const char* text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    const int length = vsnprintf(path, PATH_MAX, text, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_MAX;
}

/* A function that every MPI library has and nobody takes the place of. */
static const char landmark[] = "PMPI_Get_library_version";

/* The files of the process, in the order of loading, ended by a null pointer. */
typedef struct {
    char** paths;
    size_t count;
} Files;

static int add_file(struct dl_phdr_info* object, size_t size, void* to)
{
    Files* files = to;
    (void)size;
    char** paths = realloc(files->paths, (files->count + 1) * sizeof *paths);
    if (paths == NULL) return 1;
    files->paths = paths;
    paths[files->count] = strdup(object->dlpi_name);
    if (paths[files->count] == NULL) return 1;
    ++files->count;
    return 0;
}

/* The first file that defines the landmark. Interpreters load MPI where no search by name finds it. */
static void* find_in_files(void)
{
    Files files = {NULL, 0};
    void* found = NULL;
    dl_iterate_phdr(add_file, &files);
    for (size_t i = 0; i < files.count; ++i) {
        const char* path = files.paths[i];
        void* handle = found == NULL && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (handle != NULL && strcmp(file_of(dlsym(handle, landmark)), path) == 0) found = handle;
        free(files.paths[i]);
    }
    free(files.paths);
    return found;
}

/* What the file names of an MPI library's releases with one binary interface start with, the family
 * of our builds that have it, and how those libraries introduce themselves. */
static const struct {
    const char* file;
    const char* family;
    const char* version;
} interfaces[] = {
    {"libmpi.so.40", "openmpi", "Open MPI v"},
    {"libmpich.so.12", "mpich", "MPICH Version:"},
    {"libmpi.so.12", "mpich", "MPICH Version:"},
};

static void identify(Library* library)
{
    char whole[PATH_MAX];
    const char* name = realpath(library->path, whole) != NULL ? whole : library->path;
    name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; ++i) {
        if (!starts_with(name, interfaces[i].file)) continue;
        library->family = interfaces[i].family;
        char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of all of them is at most this */
        int length = 0;
        int (*version)(char*, int*);
        *(void**)&version = dlsym(library->handle, landmark);
        version(text, &length);
        const char* place = strstr(text, interfaces[i].version);
        if (place != NULL)
            read_release(place + strlen(interfaces[i].version), &library->major, &library->minor);
        return;
    }
}

static Library find_library(void)
{
    Library library = {.major = -1, .minor = -1};
    const void* first = dlsym(RTLD_NEXT, landmark);
    library.handle =
        first != NULL ? dlopen(file_of(first), RTLD_LAZY | RTLD_NOLOAD) : find_in_files();
    if (library.handle == NULL) return library;
    if (format(library.path, "%s", file_of(dlsym(library.handle, landmark)))) identify(&library);
    return library;
}

/* ---- the build for it ---- */

typedef struct {
    char core[PATH_MAX];
    int major, minor; /* of the MPI library that it is for; -1: there is no build */
} Build;

/* Is a build for release major.minor a better choice for the library than the best so far? Its own
 * release is best, then the newest before it of the same major version. Where none is, the oldest
 * asks least: of a library that is compatible with MPICH and counts in its own way, say. */
static int is_better(int major, int minor, const Build* best, const Library* library)
{
    if (best->major < 0) return 1;
    const int order = major != best->major ? major - best->major : minor - best->minor;
    const int fits = major == library->major && minor <= library->minor;
    const int best_fits = best->major == library->major && best->minor <= library->minor;
    if (fits != best_fits) return fits;
    return fits ? order > 0 : order < 0;
}

static const char own_id[] = LANEWAY_ID;

/* The build `id`, such as mpich-4.0, whose libraries lie in `folder`. Variants (-asan) only if we are
 * one. */
static void consider(const char* id, const char* folder, const Library* library, Build* best)
{
    if (!starts_with(id, library->family)) return;
    const char* release = id + strlen(library->family);
    int major = 0, minor = 0;
    const char* end = *release == '-' ? read_release(release + 1, &major, &minor) : NULL;
    if (end == NULL) return;
    const int is_variant = *end != '\0';
    if ((is_variant && id != own_id) || !is_better(major, minor, best, library)) return;
    char core[PATH_MAX];
    if (!format(core, "%s/liblaneway_core.so", folder) || access(core, R_OK) != 0) return;
    best->major = major;
    best->minor = minor;
    memcpy(best->core, core, sizeof core);
}

/* Our own build, or one beside it: builds lie in <prefix>/<id>/lib. */
static Build find_build(const Library* library)
{
    Build best = {.major = -1, .minor = -1};
    char prefix[PATH_MAX], folder[PATH_MAX];
    if (library->family == NULL || realpath(file_of(names), prefix) == NULL) return best;
    consider(own_id, dirname(prefix), library, &best);
    DIR* builds = opendir(dirname(dirname(prefix)));
    if (builds == NULL) return best;
    for (const struct dirent* entry; (entry = readdir(builds)) != NULL;)
        if (format(folder, "%s/%s/lib", prefix, entry->d_name))
            consider(entry->d_name, folder, library, &best);
    closedir(builds);
    return best;
}

/* ---- the first call ---- */

/* Is this process the one that speaks for the job? Launchers number their processes. */
static int speaks(void)
{
    const char* rank = laneway_rank();
    return rank == NULL || strcmp(rank, "0") == 0;
}

static void complain(const char* what, const char* about)
{
    const char* strict = getenv("LANEWAY_STRICT");
    const int ends = strict != NULL && strcmp(strict, "1") == 0;
    if (speaks())
        fprintf(stderr, "laneway: %s %s; %s\n", what, about,
                ends ? "the job ends (LANEWAY_STRICT)" : "everything is served natively");
    if (!ends) return;
    /* The first end is the end of the job, and what is then on its way may be lost. */
    const struct timespec pause = {.tv_sec = speaks() ? 0 : 1, .tv_nsec = 200000000};
    nanosleep(&pause, NULL);
    _exit(EXIT_FAILURE);
}

/* The core for the library, or null. A program that is linked with Laneway has brought it itself. */
static void* load_core(const Library* library)
{
    void* linked = dlopen("liblaneway.so." LANEWAY_ABI, RTLD_LAZY | RTLD_NOLOAD);
    if (linked != NULL || library->family == NULL) return linked;
    const Build build = find_build(library);
    if (build.major < 0) {
        complain("no build of Laneway fits the MPI library", library->path);
        return NULL;
    }
    /* The core finds the library among the global names. It does not ask for it by file, since
     * libraries with one binary interface have files of different names. */
    void* core = NULL;
    if (dlopen(library->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != NULL)
        core = dlopen(build.core, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
    if (core == NULL) complain("cannot load it:", dlerror());
    return core;
}

/* The MPI_X of a tool that is loaded after us, or null. */
static Function* tool_after_us(const char* name, const Library* library)
{
    void* next = dlsym(RTLD_NEXT, name);
    return next == NULL || strcmp(file_of(next), library->path) == 0 ? NULL : as_function(next);
}

static void missing(void)
{
    fputs("laneway: an MPI collective was called that no MPI library here defines\n", stderr);
    abort();
}

/* What stands in for functions that the library lacks and programs may ask for weakly: as PMPI_X, if the
 * core has none either, and as MPI_X, so that tools see the common form. */
static const struct {
    Function* served;
    Function* shown;
} substitutes[functions] = {
#define NARROW(name, ...) \
    [at_##name##_c] = {(Function*)narrowed_PMPI_##name, (Function*)narrowed_MPI_##name},
#define UNAVAILABLE(name, ...) [at_##name] = {(Function*)unavailable, (Function*)unavailable},
    LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING, NARROW) LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NARROW)
        LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, NARROW) LANEWAY_WITH_COUNTS(
            LANEWAY_PERSISTENT, UNAVAILABLE) LANEWAY_BARRIER(LANEWAY_PERSISTENT, UNAVAILABLE)};

static void resolve(void)
{
    const Library library = find_library();
    void* core = library.handle != NULL ? load_core(&library) : NULL;
    if (library.handle != NULL) {
        laneway_leave_mark();
        laneway_narrow_for(library.handle);
    }
    void* from = library.handle != NULL ? library.handle : RTLD_NEXT;
    Function* (*counting)(const char*, Function*) = NULL;
    if (core != NULL) *(void**)&counting = dlsym(core, "laneway_counting");
    for (int i = 0; i < functions; ++i) {
        Function* in_library = as_function(dlsym(from, names[i].pmpi));
        Function* in_core = core != NULL ? as_function(dlsym(core, names[i].core)) : NULL;
        if (in_core == NULL && counting != NULL && in_library != NULL)
            in_core = counting(names[i].mpi, in_library);
        Function* mpi = tool_after_us(names[i].mpi, &library);
        if (mpi == NULL && in_library == NULL) mpi = substitutes[i].shown;
        if (mpi == NULL) mpi = in_core;
        if (mpi == NULL) mpi = as_function(dlsym(from, names[i].mpi));
        Function* pmpi = in_core != NULL ? in_core : in_library;
        if (mpi == NULL) mpi = pmpi;
        if (pmpi == NULL) pmpi = substitutes[i].served;
        atomic_store_explicit(&served[i], pmpi != NULL ? pmpi : missing, memory_order_release);
        atomic_store_explicit(&shown[i], mpi != NULL ? mpi : missing, memory_order_release);
    }
}
