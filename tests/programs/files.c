/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: files FILE
 * Collective input and output, which the MPI library makes of collectives of its own. */
#include "check.h"

enum { count = 1000 };

int main(int argc, char** argv)
{
    int rank, size, written[count], read[count];
    MPI_File file;
    MPI_Datatype stripes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < count; ++i) written[i] = rank * count + i;
    MPI_Type_vector(count / 10, 10, 10 * size, MPI_INT, &stripes);
    MPI_Type_commit(&stripes);
    CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * 10 * rank, MPI_INT, stripes, "native",
                      MPI_INFO_NULL);
    CHECK(MPI_File_write_all(file, written, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    CHECK(MPI_File_read_all(file, read, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < count; ++i) CHECK(read[i] == written[i]);
    MPI_File_close(&file);
    MPI_Type_free(&stripes);
    MPI_Finalize();
    return 0;
}
