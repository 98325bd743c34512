/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: plugin FILE
 * A program without MPI that loads FILE, which brings its MPI library along, where nobody else sees
 * either, and calls its main. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    int (*plugin)(int, char**);
    void* file = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (file == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void**)&plugin = dlsym(file, "main");
    return plugin(argc, argv);
}
