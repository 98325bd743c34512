/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: several_ucx PROGRAM ARGUMENT USER...
 *
 * A program without MPI that uses shared objects with a UCX of their own (own_ucx.c). It uses them before and after it
 * runs the main of PROGRAM, one more of them, which brings its MPI library along. Nobody sees what the others bring. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* opened(const char* file, const char* name)
{
    void* const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void* const found = handle == NULL ? NULL : dlsym(handle, name);
    if (found != NULL) return found;
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
}

static int use_all(char** users)
{
    int code = 0;
    for (; *users != NULL; ++users) {
        int (*use)(void);
        *(void**)&use = opened(*users, "use");
        code |= use();
    }
    return code;
}

int main(int argc, char** argv)
{
    int (*program)(int, char**);
    if (argc < 3 || use_all(argv + 3) != 0) return 1;
    *(void**)&program = opened(argv[1], "main");
    return program(2, argv + 1) || use_all(argv + 3);
}
