/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that comes to MPI late and keeps it for itself, as the interpreter of a scripting
 * language does with a module: it opens the shared object of its argument, in whose needs the MPI
 * library is, and runs its main().
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    void* module = argc < 2 ? NULL : dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    int (*run)(int, char**) = NULL;
    if (module != NULL) *(void**)&run = dlsym(module, "main");
    if (run == NULL) {
        fprintf(stderr, "%s\n", argc < 2 ? "which module?" : dlerror());
        return 1;
    }
    return run(argc - 1, argv + 1);
}
