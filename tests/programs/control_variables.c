/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints "NAME VALUE" of each control variable of the MPI library that is named: numbers alone. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    int provided = 0;
    MPI_Init(&argc, &argv);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 1;
    for (int i = 1; i < argc; ++i) {
        int index = 0, count = 0, value = -1;
        MPI_T_cvar_handle handle;
        if (MPI_T_cvar_get_index(argv[i], &index) != MPI_SUCCESS) return 1;
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
        MPI_T_cvar_read(handle, &value);
        MPI_T_cvar_handle_free(&handle);
        printf("%s %d\n", argv[i], value);
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
