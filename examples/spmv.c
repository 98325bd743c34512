/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows nothing of Laneway: products of a sparse matrix and a vector, again and again. Each process
 * has some rows of the matrix and the same part of the vector. In each iteration it gets the entries of others that
 * its rows need, by a persistent MPI_Neighbor_alltoallv, where the MPI library has one.
 *
 *     mpicc -O2 spmv.c -o spmv
 *     mpirun -np 16 ./spmv grid 40 100      a grid of 40 x 40 x 40 points, each with its 26 neighbours; 100 iterations
 *     mpirun -np 16 ./spmv graph 6400 100   6400 rows with 8 entries each at random places
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#endif

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define NEIGHBOR_ALLTOALLV_INIT MPI_Neighbor_alltoallv_init
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define NEIGHBOR_ALLTOALLV_INIT MPIX_Neighbor_alltoallv_init
#endif

static int rank, ranks;

static void* allocate(size_t count, size_t size)
{
    void* const memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return memory;
}

/* ---- who has which rows ---- */

static int length;   /* length of the grid, in each direction; 0: it is a graph */
static int parts[3]; /* parts of the grid, in each direction */
static int rows_of_all;

static int first_of(int part, int all, int length_of_all)
{
    return (int)((long)length_of_all * part / all);
}

static int part_of(int place, int all, int length_of_all)
{
    int part = (int)((long)place * all / length_of_all);
    while (place < first_of(part, all, length_of_all)) --part;
    while (place >= first_of(part + 1, all, length_of_all)) ++part;
    return part;
}

static int owner_of(int row)
{
    if (length == 0) return part_of(row, ranks, rows_of_all);
    const int x = row / length / length, y = row / length % length, z = row % length;
    return (part_of(x, parts[0], length) * parts[1] + part_of(y, parts[1], length)) * parts[2] +
           part_of(z, parts[2], length);
}

/* ---- the matrix: `entries_of` a row, and what they are ---- */

enum { most_entries = 27 };

static unsigned mixed(unsigned value)
{
    value = (value ^ (value >> 16)) * 0x45d9f3bu;
    value = (value ^ (value >> 16)) * 0x45d9f3bu;
    return value ^ (value >> 16);
}

static int entries_of(int row, int* columns)
{
    int count = 0;
    if (length == 0) {
        columns[count++] = row;
        while (count < 8)
            columns[count] = (int)(mixed((unsigned)(8 * row + count)) % (unsigned)rows_of_all),
            ++count;
        return count;
    }
    const int x = row / length / length, y = row / length % length, z = row % length;
    for (int i = x - 1; i <= x + 1; ++i)
        for (int j = y - 1; j <= y + 1; ++j)
            for (int k = z - 1; k <= z + 1; ++k)
                if (i >= 0 && i < length && j >= 0 && j < length && k >= 0 && k < length)
                    columns[count++] = (i * length + j) * length + k;
    return count;
}

static double entry(int row, int column) { return row == column ? 26 : -1; }
static double value_of(int column, int iteration) { return column % 17 + iteration % 5; }

/* ---- what a process has ---- */

static int rows, entries;
static int *own, *first_entry, *columns,
    *places; /* `places` of columns in the vector: own ones first, then others' */
static double *numbers, *vector, *product;

static int compare(const void* one, const void* other)
{
    return *(const int*)one - *(const int*)other;
}

static int place_of(int number, const int* sorted, int count)
{
    const int* const found = bsearch(&number, sorted, (size_t)count, sizeof *sorted, compare);
    return found == NULL ? -1 : (int)(found - sorted);
}

static void make_matrix(void)
{
    own = allocate((size_t)rows_of_all, sizeof *own);
    for (int row = 0; row < rows_of_all; ++row)
        if (owner_of(row) == rank) own[rows++] = row;
    first_entry = allocate((size_t)rows + 1, sizeof *first_entry);
    columns = allocate((size_t)rows * most_entries, sizeof *columns);
    numbers = allocate((size_t)rows * most_entries, sizeof *numbers);
    for (int row = 0; row < rows; ++row) {
        first_entry[row] = entries;
        entries += entries_of(own[row], columns + entries);
        for (int at = first_entry[row]; at < entries; ++at)
            numbers[at] = entry(own[row], columns[at]);
    }
    first_entry[rows] = entries;
}

/* ---- the neighbours, and what they get and give ---- */

static int sources, destinations;
static int *from, *to;
static int *in_counts, *in_places, *out_counts, *out_places;
static int received, sent;
static int* sent_rows; /* places of those in the vector */
static double* out;
static MPI_Comm graph;

static int compare_by_owner(const void* one, const void* other)
{
    const int owners = owner_of(*(const int*)one) - owner_of(*(const int*)other);
    return owners != 0 ? owners : compare(one, other);
}

static int ends(int count, const int* counts, int* starts)
{
    int next = 0;
    for (int i = 0; i < count; ++i) {
        starts[i] = next;
        next += counts[i];
    }
    return next;
}

/* The others' columns that the rows need, ordered by who has them: this is where they stand in the vector. */
static int* wanted_columns(void)
{
    int* const wanted = allocate((size_t)entries, sizeof *wanted);
    int count = 0;
    for (int at = 0; at < entries; ++at)
        if (owner_of(columns[at]) != rank) wanted[count++] = columns[at];
    qsort(wanted, (size_t)count, sizeof *wanted, compare);
    for (int at = 0; at < count; ++at)
        if (received == 0 || wanted[received - 1] != wanted[at]) wanted[received++] = wanted[at];
    return wanted;
}

/* The ranks whose count is not 0, of a count by rank. */
static int neighbors(const int* by_rank, int** who, int** counts, int** starts)
{
    int count = 0;
    *who = allocate((size_t)ranks, sizeof **who);
    *counts = allocate((size_t)ranks, sizeof **counts);
    *starts = allocate((size_t)ranks, sizeof **starts);
    for (int other = 0; other < ranks; ++other) {
        if (by_rank[other] == 0) continue;
        (*who)[count] = other;
        (*counts)[count++] = by_rank[other];
    }
    ends(count, *counts, *starts);
    return count;
}

static void make_neighbors(void)
{
    int* const sorted = wanted_columns();
    int* const wanted = allocate((size_t)received, sizeof *wanted);
    memcpy(wanted, sorted, (size_t)received * sizeof *wanted);
    qsort(wanted, (size_t)received, sizeof *wanted, compare_by_owner);

    int *in = allocate((size_t)ranks, sizeof *in), *in_starts = allocate((size_t)ranks, sizeof *in);
    int *gives = allocate((size_t)ranks, sizeof *in), *starts = allocate((size_t)ranks, sizeof *in);
    for (int i = 0; i < received; ++i) ++in[owner_of(wanted[i])];
    ends(ranks, in, in_starts);
    MPI_Alltoall(in, 1, MPI_INT, gives, 1, MPI_INT, MPI_COMM_WORLD);
    sent = ends(ranks, gives, starts);
    sent_rows = allocate((size_t)sent, sizeof *sent_rows);
    MPI_Alltoallv(wanted, in, in_starts, MPI_INT, sent_rows, gives, starts, MPI_INT,
                  MPI_COMM_WORLD);
    for (int i = 0; i < sent; ++i) sent_rows[i] = place_of(sent_rows[i], own, rows);
    out = allocate((size_t)sent, sizeof *out);

    sources = neighbors(in, &from, &in_counts, &in_places);
    destinations = neighbors(gives, &to, &out_counts, &out_places);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources, from, in_counts, destinations, to,
                                   out_counts, MPI_INFO_NULL, 0, &graph);

    int* const by_number = allocate((size_t)received, sizeof *by_number);
    for (int i = 0; i < received; ++i) by_number[place_of(wanted[i], sorted, received)] = rows + i;
    places = allocate((size_t)entries, sizeof *places);
    for (int at = 0; at < entries; ++at) {
        const int mine = place_of(columns[at], own, rows);
        places[at] = mine >= 0 ? mine : by_number[place_of(columns[at], sorted, received)];
    }
    vector = allocate((size_t)(rows + received), sizeof *vector);
    product = allocate((size_t)rows, sizeof *product);
    free(by_number), free(starts), free(gives), free(in_starts), free(in), free(wanted);
    free(sorted);
}

/* ---- the iterations ---- */

static void multiply(void)
{
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int at = first_entry[row]; at < first_entry[row + 1]; ++at)
            sum += numbers[at] * vector[places[at]];
        product[row] = sum;
    }
}

static int is_right(int iteration)
{
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int at = first_entry[row]; at < first_entry[row + 1]; ++at)
            sum += numbers[at] * value_of(columns[at], iteration);
        if (product[row] != sum) return 0; /* whole numbers */
    }
    return 1;
}

static int compare_times(const void* one, const void* other)
{
    const double first = *(const double*)one, second = *(const double*)other;
    return (first > second) - (first < second);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int is_grid = argc < 2 || strcmp(argv[1], "graph") != 0;
    const int number = argc > 2 ? atoi(argv[2]) : is_grid ? 40 : 6400;
    const int iterations = argc > 3 ? atoi(argv[3]) : 100;
    if (is_grid) length = number;
    rows_of_all = is_grid ? number * number * number : number;
    if (number < 1 || rows_of_all < ranks || iterations < 1)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Dims_create(ranks, 3, parts);
    make_matrix();
    make_neighbors();

    double* const theirs = vector + rows;
#ifdef NEIGHBOR_ALLTOALLV_INIT
    MPI_Request exchange;
    NEIGHBOR_ALLTOALLV_INIT(out, out_counts, out_places, MPI_DOUBLE, theirs, in_counts, in_places,
                            MPI_DOUBLE, graph, MPI_INFO_NULL, &exchange);
#endif
    double* const times = allocate((size_t)iterations, sizeof *times);
    int right = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        for (int row = 0; row < rows; ++row) vector[row] = value_of(own[row], iteration);
        const double start = MPI_Wtime();
        for (int i = 0; i < sent; ++i) out[i] = vector[sent_rows[i]];
#ifdef NEIGHBOR_ALLTOALLV_INIT
        MPI_Start(&exchange);
        MPI_Wait(&exchange, MPI_STATUS_IGNORE);
#else
        MPI_Neighbor_alltoallv(out, out_counts, out_places, MPI_DOUBLE, theirs, in_counts,
                               in_places, MPI_DOUBLE, graph);
#endif
        multiply();
        times[iteration] = MPI_Wtime() - start;
        right = right && is_right(iteration);
    }
#ifdef NEIGHBOR_ALLTOALLV_INIT
    MPI_Request_free(&exchange);
#endif

    int all_right = 0;
    long mine[] = {destinations, sent}, all[2];
    MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    qsort(times, (size_t)iterations, sizeof *times, compare_times);
    double slowest = 0;
    MPI_Reduce(&times[iterations / 2], &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf(
            "%s of %d rows on %d processes, each of which sends %.0f numbers to %.1f others: "
            "%.1f us an iteration; %s\n",
            is_grid ? "grid" : "graph", rows_of_all, ranks, (double)all[1] / ranks,
            (double)all[0] / ranks, 1e6 * slowest, all_right ? "right" : "WRONG");
    }
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return rank == 0 && !all_right ? EXIT_FAILURE : EXIT_SUCCESS;
}
