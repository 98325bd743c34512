/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/loaded_files.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char laneway_landmark[] = "PMPI_Get_library_version";

const char* laneway_file_of(const void* address)
{
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 ? info.dli_fname : "";
}

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

Files laneway_all_files(void)
{
    Files files = {NULL, 0};
    dl_iterate_phdr(add_file, &files);
    return files;
}

void laneway_forget_files(Files* files)
{
    for (size_t i = 0; i < files->count; ++i) free(files->paths[i]);
    free(files->paths);
}

void* laneway_library_in(const char* path)
{
    void* handle = *path != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle == NULL || strcmp(laneway_file_of(dlsym(handle, laneway_landmark)), path) == 0)
        return handle;
    dlclose(handle);
    return NULL;
}

/* A text of a file's dynamic section. */
static const char* text_of(const struct link_map* file, uintptr_t place)
{
    uintptr_t names = 0;
    for (const ElfW(Dyn)* entry = file->l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (names < file->l_addr)
        names += file->l_addr; /* where the loader leaves the section as it is */
    return (const char*)(names + place);
}

const char* laneway_linked_name(void* handle)
{
    struct link_map* file = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &file) != 0) return NULL;
    for (const ElfW(Dyn)* entry = file->l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_SONAME) return text_of(file, entry->d_un.d_val);
    return NULL;
}

int laneway_file_needs(void* handle, const char* name)
{
    struct link_map* file = NULL;
    if (name == NULL || dlinfo(handle, RTLD_DI_LINKMAP, &file) != 0) return 0;
    for (const ElfW(Dyn)* entry = file->l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_NEEDED && strcmp(text_of(file, entry->d_un.d_val), name) == 0)
            return 1;
    return 0;
}
