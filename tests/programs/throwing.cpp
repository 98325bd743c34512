// SPDX-License-Identifier: BSD-3-Clause
// usage: throwing handlers|operators|attributes
//
// Code of the program's throws out of MPI calls. It is an error handler, of rank 1 alone, in calls that the library
// rejects, or an operator, once on each process in turn. Or it is the delete function of an attribute. Exceptions are
// caught, and later calls are served. Prints who served broadcasts and reductions then, in all forms.
#include <laneway.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

namespace {

int rank, size;

struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct NoMemory : std::bad_alloc {};
struct Other {};

int kind = 0;

/// Throws something of another type each time.
[[noreturn]] void throw_something()
{
    switch (kind++ % 3) {
    case 0:
        throw Failed("from the program");
    case 1:
        throw NoMemory();
    default:
        throw Other();
    }
}

/// Whether the body throws; it must be what was thrown.
template <class Body>
bool throws(const Body& body)
{
    try {
        body();
    } catch (const Failed& failed) {
        CHECK(kind % 3 == 1 && std::strcmp(failed.what(), "from the program") == 0);
        return true;
    } catch (const NoMemory&) {
        CHECK(kind % 3 == 2);
        return true;
    } catch (const Other&) {
        CHECK(kind % 3 == 0);
        return true;
    }
    return false;
}

void leave(MPI_Comm*, int*, ...) { throw_something(); }

bool armed = false;

void add(void* in, void* inout, int* length, MPI_Datatype*)
{
    for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
    if (!armed) return;
    armed = false;
    throw_something();
}

int throw_at_delete(MPI_Comm, int, void*, void*) { throw_something(); }

constexpr int length = 64;
int data[length], sums[length];

void set()
{
    for (int i = 0; i < length; ++i) data[i] = rank + i, sums[i] = -1;
}

void are_right()
{
    for (int i = 0; i < length; ++i) CHECK(sums[i] == size * (size - 1) / 2 + size * i);
}

/// Calls of all forms, with an operator that the program made or one of MPI's.
void reduce_by(MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    set();
    MPI_Allreduce(data, sums, length, MPI_INT, op, comm);
    are_right();
    set();
    MPI_Iallreduce(data, sums, length, MPI_INT, op, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    are_right();
    set();
    CHECK(laneway_allreduce_init(data, sums, length, MPI_INT, op, comm, MPI_INFO_NULL, &request) ==
          MPI_SUCCESS);
    for (int start = 0; start < 3; ++start) {
        set();
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        are_right();
    }
    MPI_Request_free(&request);
}

/// Whether something was thrown out of a broadcast; it ends all the same.
bool broadcast_once(int call, MPI_Comm comm)
{
    int number = rank == call % size ? call : -1;
    const bool has_thrown = throws([&] { MPI_Bcast(&number, 1, MPI_INT, call % size, comm); });
    CHECK(number == call);
    return has_thrown;
}

void broadcast(MPI_Comm comm)
{
    // Short calls, made again.
    for (int call = 0; call < 4; ++call) CHECK(!broadcast_once(call, comm));
}

void handlers(MPI_Comm comm)
{
    constexpr int no_root = 99;
    MPI_Errhandler handler, before;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, handler);
    for (int round = 0; round < 3; ++round) {
        if (rank == 1) {
            int number = 0;
            std::vector<int> numbers(static_cast<std::size_t>(size));
            MPI_Request request;
            CHECK(throws([&] { MPI_Bcast(&number, 1, MPI_INT, no_root, comm); }));
            CHECK(throws([&] { MPI_Bcast(&number, 1, MPI_DATATYPE_NULL, 0, comm); }));
            CHECK(throws([&] { MPI_Allreduce(&rank, &number, 1, MPI_INT, MPI_OP_NULL, comm); }));
            CHECK(throws([&] { MPI_Ibcast(&number, 1, MPI_INT, no_root, comm, &request); }));
            CHECK(throws([&] {
                MPI_Gatherv(&number, 1, MPI_INT, numbers.data(), numbers.data(), numbers.data(),
                            MPI_INT, no_root, comm);
            }));
            CHECK(throws([&] {
                laneway_bcast_init(&number, 1, MPI_INT, no_root, comm, MPI_INFO_NULL, &request);
            }));
        }
        broadcast(comm);
        reduce_by(MPI_SUM, comm);
    }
    MPI_Comm_set_errhandler(comm, before);
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&handler);
}

void operators(MPI_Comm comm)
{
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    reduce_by(op, comm);
    for (int thrower = 0; thrower < size; ++thrower) {
        MPI_Request request;
        armed = rank == thrower;
        set();
        CHECK(throws([&] { MPI_Allreduce(data, sums, length, MPI_INT, op, comm); }) ==
              (rank == thrower));
        reduce_by(op, comm);

        armed = rank == thrower;
        set();
        bool has_thrown =
            throws([&] { MPI_Iallreduce(data, sums, length, MPI_INT, op, comm, &request); });
        has_thrown = throws([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }) || has_thrown;
        CHECK(has_thrown == (rank == thrower));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        reduce_by(op, comm);

        armed = rank == thrower;
        set();
        laneway_allreduce_init(data, sums, length, MPI_INT, op, comm, MPI_INFO_NULL, &request);
        has_thrown = throws([&] { MPI_Start(&request); });
        has_thrown = throws([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }) || has_thrown;
        CHECK(has_thrown == (rank == thrower));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        set();
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        are_right();
        MPI_Request_free(&request);

        // Inside of a call of ours, an operation that goes on there must not end that.
        armed = rank == thrower;
        set();
        has_thrown =
            throws([&] { MPI_Iallreduce(data, sums, length, MPI_INT, op, comm, &request); });
        for (int call = 0; call < 4; ++call) has_thrown = broadcast_once(call, comm) || has_thrown;
        has_thrown = throws([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }) || has_thrown;
        CHECK(has_thrown == (rank == thrower));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        reduce_by(op, comm);
    }
    MPI_Op_free(&op);
}

void attributes(MPI_Comm comm)
{
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, throw_at_delete, &keyval, nullptr);
    for (int round = 0; round < 3; ++round) {
        MPI_Comm copy;
        MPI_Comm_dup(comm, &copy);
        MPI_Comm_set_attr(copy, keyval, nullptr);
        broadcast(copy);
        CHECK(throws([&] { MPI_Comm_free(&copy); }));
        broadcast(comm);
        reduce_by(MPI_SUM, comm);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2 && size > 1);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::string what = argv[1];
    if (what == "handlers")
        handlers(comm);
    else if (what == "operators")
        operators(comm);
    else
        attributes(comm);
    MPI_Request request;
    MPI_Bcast(data, length, MPI_INT, 0, comm);
    const std::string broadcast_by = laneway_served_by(comm);
    MPI_Allreduce(data, sums, length, MPI_INT, MPI_SUM, comm);
    const std::string reduced_by = laneway_served_by(comm);
    MPI_Iallreduce(data, sums, length, MPI_INT, MPI_SUM, comm, &request);
    const std::string begun_by = laneway_served_by(comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        std::printf("%s, %s, %s\n", broadcast_by.c_str(), reduced_by.c_str(), begun_by.c_str());
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
