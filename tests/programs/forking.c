/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: forking N
 * A thread makes collectives that are counted, one after the other, while another forks N children,
 * which exit at once. Prints `right`. */
#define _POSIX_C_SOURCE 200112L
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static atomic_int over;

static void* make_collectives(void* nothing)
{
    int data = 0;
    while (!atomic_load(&over))
        CHECK(MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF) == MPI_SUCCESS);
    return nothing;
}

int main(int argc, char** argv)
{
    int provided, status = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, make_collectives, NULL);
    for (int i = 0; i < atoi(argv[1]); ++i) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); /* a child that hangs is killed */
            exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    MPI_Finalize();
    puts("right");
    return 0;
}
