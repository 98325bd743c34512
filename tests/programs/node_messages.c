/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: node_messages CASE
 *
 * Broadcasts, an exchange of everything and sums between the processes of one node. The cases:
 *
 *     plain           nothing else
 *     small_files     rank 0 may make no file of more than 64 KiB when it makes its first collective
 *     no_descriptors  rank 1 has no free file descriptor then
 *     others_wait     before a broadcast ends, its root needs what another process does only after a message of the
 *                     program's own has come, from one that waits in the broadcast
 *     refused         rank 1 may enter no other process's memory any more, once it has
 *     killed          rank 1 is killed before the last collectives
 *
 * Prints how many pieces of shared memory of Laneway's a process has mapped, if that is equal on all. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"

enum { LONG = 1 << 20 };

static int shared_memories(FILE* maps)
{
    char line[4096];
    int found = 0;
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "laneway-") != NULL) {
            CHECK(strstr(line, "/memfd:laneway-") != NULL); /* no name in any file system */
            CHECK(strstr(line, "(deleted)") != NULL);
            ++found;
        }
    return found;
}

static void collectives(int rank, int size)
{
    static int data[LONG], all[LONG], sums[LONG];
    for (int count = 1; count <= LONG / size; count *= 16) {
        for (int root = 0; root < size; ++root) {
            for (int i = 0; i < count; ++i) data[i] = rank == root ? i + root : -1;
            CHECK(MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
            for (int i = 0; i < count; ++i) CHECK(data[i] == i + root);
        }
        for (int i = 0; i < count; ++i) data[i] = i * (rank + 1);
        CHECK(MPI_Allgather(data, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        for (int other = 0; other < size; ++other)
            for (int i = 0; i < count; ++i) CHECK(all[other * count + i] == i * (other + 1));
        CHECK(MPI_Allreduce(data, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < count; ++i) CHECK(sums[i] == i * (size * (size + 1) / 2));
    }
}

static void enter_nobody(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static void others_wait(int rank)
{
    static char bytes[8 << 20];
    MPI_Request request = MPI_REQUEST_NULL;
    int data = rank == 2 ? 7 : 0, word = 1;
    if (rank == 0) MPI_Isend(bytes, sizeof bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) {
        MPI_Recv(bytes, sizeof bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&data, 1, MPI_INT, 2, MPI_COMM_WORLD);
    CHECK(data == 7);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv)
{
    int rank, size, found, least, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2);
    FILE* const maps = fopen("/proc/self/maps", "r"); /* read when all is there */
    if (strcmp(argv[1], "small_files") == 0 && rank == 0) {
        const struct rlimit limit = {64 << 10, 64 << 10};
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    if (strcmp(argv[1], "no_descriptors") == 0) {
        int value = rank; /* the library's connections are there by then */
        for (int other = 0; other < size; ++other)
            MPI_Sendrecv(&rank, 1, MPI_INT, other, 0, &value, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        while (rank == 1 && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) continue;
    }
    collectives(rank, size);
    if (strcmp(argv[1], "others_wait") == 0) others_wait(rank);
    if (strcmp(argv[1], "refused") == 0) {
        if (rank == 1) enter_nobody();
        collectives(rank, size);
    }
    if (strcmp(argv[1], "killed") == 0) {
        if (rank == 1) raise(SIGKILL);
        collectives(rank, size);
    }
    found = shared_memories(maps);
    MPI_Allreduce(&found, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&found, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most);
    MPI_Finalize();
    if (rank == 0) printf("%d\n", found);
    return 0;
}
