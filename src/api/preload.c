/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblaneway_preload.so: goes into LD_PRELOAD of any program, and knows no MPI library itself.
 *
 * It defines the collectives under both of their names. Whoever calls one first has brought an MPI
 * library along: the build of Laneway for it is loaded then, liblaneway_core.so, which lies beside
 * this file or in a neighbouring build. From then on
 *
 *     PMPI_X   is the core's laneway_x, or the library's PMPI_X where the core has none;
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

#include "mpi/interposed.h"

_Static_assert(sizeof(intptr_t) == 8, "arguments are passed on as 64-bit words");

typedef intptr_t Word;
typedef void Function(void);

static Function* as_function(void* address)
{
    Function* function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* ---- the functions ---- */

#define ALL(F, F_LARGE) \
    LANEWAY_COUNTED(F) LANEWAY_OTHERS(F) LANEWAY_SESSIONS(F) LANEWAY_COUNTED(F_LARGE)

enum {
#define PLACE(name, ...) at_##name,
#define PLACE_LARGE(name, ...) at_##name##_c,
    ALL(PLACE, PLACE_LARGE) functions
};

static const struct {
    const char* mpi;
    const char* pmpi;
    const char* core;
} names[] = {
#define NAMES(name, in_core, ...) {"MPI_" #name, "PMPI_" #name, "laneway_" #in_core},
#define NAMES_LARGE(name, in_core, ...) NAMES(name##_c, in_core##_c, __VA_ARGS__)
    ALL(NAMES, NAMES_LARGE)};

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
#define WORDS_5 WORDS_1, Word b, Word c, Word d, Word e
#define WORDS_6 WORDS_5, Word f
#define WORDS_7 WORDS_6, Word g
#define WORDS_8 WORDS_7, Word h
#define WORDS_9 WORDS_8, Word i
#define GIVEN_1 a
#define GIVEN_5 GIVEN_1, b, c, d, e
#define GIVEN_6 GIVEN_5, f
#define GIVEN_7 GIVEN_6, g
#define GIVEN_8 GIVEN_7, h
#define GIVEN_9 GIVEN_8, i

#define ENTRY(symbol, place, arguments)                                           \
    __attribute__((visibility("default"))) int symbol(WORDS_##arguments);         \
    int symbol(WORDS_##arguments)                                                 \
    {                                                                             \
        return ((int (*)(WORDS_##arguments))target(&(place)))(GIVEN_##arguments); \
    }
#define ENTRIES(name, in_core, ...) BOTH_ENTRIES(name, __VA_ARGS__, )
#define BOTH_ENTRIES(name, arguments, ...)         \
    ENTRY(MPI_##name, shown[at_##name], arguments) \
    ENTRY(PMPI_##name, served[at_##name], arguments)

/* Programs may ask for a large-count form by a weak reference, and find this one where their library
 * has none (mpi4py does): counts that fit into an int, which stand in the same places, make it the
 * same call as the common form. */
#define ERROR_COUNT 2 /* MPI_ERR_COUNT of every library there is */
#define FITS(count) ((count) == (int)(count))
#define NARROWED(name, in_core, arguments, fits)                    \
    static int narrowed_##name(WORDS_##arguments)                   \
    {                                                               \
        return fits ? PMPI_##name(GIVEN_##arguments) : ERROR_COUNT; \
    }
#define ENTRIES_LARGE(name, in_core, ...) BOTH_ENTRIES(name##_c, __VA_ARGS__, )
ALL(ENTRIES, ENTRIES_LARGE)
LANEWAY_COUNTED(NARROWED)

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
    return paths[files->count] == NULL || ++files->count == 0;
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
            sscanf(place + strlen(interfaces[i].version), "%d.%d", &library->major,
                   &library->minor);
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
    int major = 0, minor = 0, end = 0;
    const size_t length = strlen(library->family);
    if (!starts_with(id, library->family) ||
        sscanf(id + length, "-%d.%d%n", &major, &minor, &end) != 2)
        return;
    const int is_variant = id[length + (size_t)end] != '\0';
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
    static const char* const ranks[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; ++i)
        if (getenv(ranks[i]) != NULL) return strcmp(getenv(ranks[i]), "0") == 0;
    return 1;
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

/* What stands in for functions that neither the core nor the library has. */
static Function* const substitutes[functions] = {
#define SUBSTITUTE(name, ...) [at_##name] = missing,
#define SUBSTITUTE_LARGE(name, ...) [at_##name##_c] = (Function*)narrowed_##name,
    ALL(SUBSTITUTE, SUBSTITUTE_LARGE)};

static void resolve(void)
{
    const Library library = find_library();
    void* core = library.handle != NULL ? load_core(&library) : NULL;
    void* from = library.handle != NULL ? library.handle : RTLD_NEXT;
    for (int i = 0; i < functions; ++i) {
        Function* in_core = core != NULL ? as_function(dlsym(core, names[i].core)) : NULL;
        Function* mpi = tool_after_us(names[i].mpi, &library);
        if (mpi == NULL) mpi = in_core;
        if (mpi == NULL) mpi = as_function(dlsym(from, names[i].mpi));
        Function* pmpi = in_core != NULL ? in_core : as_function(dlsym(from, names[i].pmpi));
        if (pmpi == NULL) pmpi = substitutes[i];
        atomic_store_explicit(&served[i], pmpi, memory_order_release);
        atomic_store_explicit(&shown[i], mpi != NULL ? mpi : pmpi, memory_order_release);
    }
}
