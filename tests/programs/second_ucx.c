/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses UCX beside MPI: messages to itself by a worker of its own, while nonblocking collectives
 * are under way. A message that arrives calls MPI. With -DOPENED it finds UCX's progress as who opens libraries
 * does, else as who is linked with them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include "check.h"

enum { length = 1000, messages = 20 };

static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h self;
static int arrived;
static unsigned (*progress)(ucp_worker_h);

static void find_progress(void)
{
#ifdef OPENED
    void* const library = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    *(void**)&progress = dlsym(library, "ucp_worker_progress");
    CHECK(progress != NULL);
#else
    progress = ucp_worker_progress;
#endif
}

static void open_worker(void)
{
    ucp_config_t* config;
    ucp_address_t* address;
    size_t bytes;
    CHECK(ucp_config_read(NULL, NULL, &config) == UCS_OK);
    CHECK(ucp_config_modify(config, "TLS", "self") == UCS_OK);
    const ucp_params_t wanted = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_TAG};
    CHECK(ucp_init(&wanted, config, &context) == UCS_OK);
    ucp_config_release(config);
    const ucp_worker_params_t how = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                     .thread_mode = UCS_THREAD_MODE_SINGLE};
    CHECK(ucp_worker_create(context, &how, &worker) == UCS_OK);
    CHECK(ucp_worker_get_address(worker, &address, &bytes) == UCS_OK);
    const ucp_ep_params_t to = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = address};
    CHECK(ucp_ep_create(worker, &to, &self) == UCS_OK);
    ucp_worker_release_address(worker, address);
}

static void receive(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* data)
{
    int found = 0;
    (void)info, (void)data;
    CHECK(status == UCS_OK);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    ++arrived;
    ucp_request_free(request);
}

static void finish(void* request)
{
    if (request == NULL) return;
    CHECK(!UCS_PTR_IS_ERR(request));
    while (ucp_request_check_status(request) == UCS_INPROGRESS) progress(worker);
    ucp_request_free(request);
}

static void send_to_self(int number)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
                                     .cb = {.recv = receive}};
    const ucp_request_param_t plain = {0};
    const int before = arrived;
    int sent = number, received = -1;
    void* const request = ucp_tag_recv_nbx(worker, &received, sizeof received, 7, ~0ull, &how);
    CHECK(UCS_PTR_IS_PTR(request));
    finish(ucp_tag_send_nbx(self, &sent, sizeof sent, 7, &plain));
    while (arrived == before) progress(worker);
    CHECK(received == number);
}

int main(int argc, char** argv)
{
    int rank, size, data[length], sums[length];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    find_progress();
    open_worker();
    send_to_self(0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < messages; ++round) {
        MPI_Request request;
        for (int i = 0; i < length; ++i) data[i] = rank + round + i;
        MPI_Iallreduce(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        send_to_self(round);
        for (int i = 0; i < 100; ++i) progress(worker);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < length; ++i)
            CHECK(sums[i] == size * (size - 1) / 2 + size * (round + i));
    }
    finish(ucp_ep_close_nbx(self, &(ucp_request_param_t){0}));
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    MPI_Finalize();
    CHECK(arrived == messages + 1);
    if (rank == 0) puts("done");
    return 0;
}
