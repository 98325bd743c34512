/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/loaded_files.h"

/* ---- the MPI library of the process ---- */

static int starts_with(const char* text, const char* start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Reads major.minor, or major alone. Returns the text behind it, a null pointer where `text` does not begin with such. */
static const char* read_release(const char* text, int* major, int* minor)
{
    char* end = NULL;
    const long first = strtol(text, &end, 10);
    if (end == text) return NULL;
    long second = 0;
    if (*end == '.') {
        const char* rest = end + 1;
        second = strtol(rest, &end, 10);
        if (end == rest) return NULL;
    }
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

/* The first library among all files. Interpreters load MPI where no search by name finds it. */
static void* find_in_files(void)
{
    Files files = laneway_all_files();
    void* found = NULL;
    for (size_t i = 0; i < files.count && found == NULL; ++i)
        found = laneway_library_in(files.paths[i]);
    laneway_forget_files(&files);
    return found;
}

/* MPI libraries by binary interface: the start of their names, the family of our builds that have the
 * interface, and how the libraries introduce themselves. */
static const struct {
    const char* name;
    const char* family;
    const char* version;
} interfaces[] = {
    {"libmpi.so.40", "openmpi", "Open MPI v"},
    {"libmpich.so.12", "mpich", "MPICH Version:"},
    {"libmpi.so.12", "mpich", "MPICH Version:"},
    {"libmpi_abi.so.1", "abi", NULL}, /* any library's; a function tells the ABI's version */
};

static const char* file_name(const char* path)
{
    static char whole[PATH_MAX];
    const char* name = realpath(path, whole) != NULL ? whole : path;
    return strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
}

/* How the library introduces itself. Uses static memory. */
static const char* version_text(void* library)
{
    static char text[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of all of them is at most this */
    int length = 0;
    int (*version)(char*, int*);
    *(void**)&version = dlsym(library, laneway_landmark);
    version(text, &length);
    return text;
}

/* Reads the release behind the words of `text` with which it begins. Returns what follows, or a null pointer. */
static const char* read_release_after(const char* words, const char* text, int* major, int* minor)
{
    const char* place = strstr(text, words);
    if (place == NULL) return NULL;
    place += strlen(words);
    return read_release(place + strspn(place, " \t"), major, minor);
}

/* Asks for the version of the standard ABI (MPI 5.0, Section 20.3). Some libraries' first releases have it with faults
 * that no collective of ours can go round. */
static void identify_abi(Library* library)
{
    int (*version)(int*, int*);
    *(void**)&version = dlsym(library->handle, "PMPI_Abi_get_version");
    if (version != NULL) version(&library->major, &library->minor);
    if (library->major != 1)
        library->defect = "no build of Laneway knows this version of the standard ABI:";
    int major = 0, minor = 0, patch = 0;
    const char* rest =
        read_release_after("MPICH Version:", version_text(library->handle), &major, &minor);
    if (rest == NULL) return;
    if (*rest == '.') patch = atoi(rest + 1);
    if (major < 5 || (major == 5 && minor == 0 && patch < 2))
        library->defect = "operators and attributes of programs fail there in MPICH before 5.0.2:";
}

static void identify(Library* library)
{
    library->name = laneway_linked_name(library->handle);
    if (library->name == NULL) library->name = file_name(library->path);
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; ++i) {
        if (!starts_with(library->name, interfaces[i].name)) continue;
        library->family = interfaces[i].family;
        if (interfaces[i].version == NULL)
            identify_abi(library);
        else
            read_release_after(interfaces[i].version, version_text(library->handle),
                               &library->major, &library->minor);
        return;
    }
}

int laneway_is_linked_with_mpi(void)
{
    const int is = dlsym(RTLD_NEXT, laneway_landmark) != NULL;
    if (!is) dlerror(); /* nobody is to find this one */
    return is;
}

int laneway_is_of_mpi(const void* address)
{
    const char* const path = laneway_file_of(address);
    void* const file = *path != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (file == NULL) return 0;
    const int is = strcmp(laneway_file_of(dlsym(file, laneway_landmark)), path) == 0;
    dlclose(file);
    return is;
}

const Library* laneway_find_library(const void* address)
{
    static Library library = {.major = -1, .minor = -1};
    const void* first = dlsym(RTLD_NEXT, laneway_landmark);
    if (first == NULL) first = address;
    library.handle =
        first != NULL ? dlopen(laneway_file_of(first), RTLD_LAZY | RTLD_NOLOAD) : find_in_files();
    if (library.handle != NULL &&
        format(library.path, "%s", laneway_file_of(dlsym(library.handle, laneway_landmark))))
        identify(&library);
    return &library;
}

/* ---- the build for it ---- */

typedef struct {
    char core[PATH_MAX];
    int major, minor; /* the release of the MPI library that it is for; -1: there is no build */
} Build;

/* Is a build for release major.minor a better choice for the library than the best so far? Its own
 * release is best, then the newest before it of the same major version. Where there is none, the oldest build
 * asks least of the library. That library may be compatible with MPICH and count in its own way. */
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

/* Considers the build `id`, such as mpich-4.0, whose libraries lie in `folder`. Variants (-asan) count only
 * if we are one. */
static void consider(const char* id, const char* folder, const Library* library, Build* best)
{
    if (!starts_with(id, library->family)) return;
    const char* release = id + strlen(library->family);
    int major = 0, minor = 0;
    const char* end = *release == '-' ? read_release(release + 1, &major, &minor) : NULL;
    if (end == NULL) return;
    const int is_variant = *end != '\0';
    if ((is_variant && id != own_id) || !is_better(major, minor, best, library)) return;
    static char core[PATH_MAX];
    if (!format(core, "%s/liblaneway_core.so", folder) || access(core, R_OK) != 0) return;
    best->major = major;
    best->minor = minor;
    memcpy(best->core, core, sizeof core);
}

/* Our own build, or one beside it: builds lie in <prefix>/<id>/lib. */
const char* laneway_find_core(const Library* library)
{
    static Build best = {.major = -1, .minor = -1};
    static char prefix[PATH_MAX], folder[PATH_MAX];
    if (library->family == NULL || realpath(laneway_file_of(own_id), prefix) == NULL) return NULL;
    consider(own_id, dirname(prefix), library, &best);
    errno = 0;
    DIR* builds = opendir(dirname(dirname(prefix)));
    const int failed = errno;
    if (builds != NULL) {
        for (const struct dirent* entry; (entry = readdir(builds)) != NULL;)
            if (format(folder, "%s/%s/lib", prefix, entry->d_name))
                consider(entry->d_name, folder, library, &best);
        closedir(builds);
    }
    errno = builds == NULL ? failed : 0;
    return best.major < 0 ? NULL : best.core;
}
