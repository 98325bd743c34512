# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the MPI library and says which one it is. Sets
#   LANEWAY_MPI_FAMILY   openmpi, mpich or abi
#   LANEWAY_MPI_NAME     its name in prose: Open MPI, MPICH or MPI ABI
#   LANEWAY_MPI_VERSION  such as 4.1.4
#   LANEWAY_MPIEXEC      the launcher that belongs to it
#   LANEWAY_ID           the name of this build: family-major.minor, such as openmpi-4.1, or abi-1, as
#                        all minor versions of the standard ABI are compatible

find_package(MPI COMPONENTS C)
if(NOT MPI_C_FOUND)
    message(FATAL_ERROR
        "No MPI library found. Install one (Debian, Ubuntu: apt-get install openmpi-bin "
        "libopenmpi-dev; without root: pip install openmpi), put its mpicc on PATH or name it "
        "with -DMPI_C_COMPILER=/path/to/mpicc. `make build` does all of this.")
endif()

execute_process(
    COMMAND sh "${PROJECT_SOURCE_DIR}/scripts/mpi-library.sh" "${MPI_C_COMPILER}"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "Which MPI library is this? ${error}")
endif()
string(REPLACE " " ";" found "${found}")
list(GET found 0 LANEWAY_MPI_FAMILY)
list(GET found 1 LANEWAY_MPI_VERSION)

string(REGEX MATCH "^[0-9]+\\.[0-9]+" release "${LANEWAY_MPI_VERSION}")
if(LANEWAY_MPI_FAMILY STREQUAL "openmpi")
    set(LANEWAY_MPI_NAME "Open MPI")
elseif(LANEWAY_MPI_FAMILY STREQUAL "abi")
    set(LANEWAY_MPI_NAME "MPI ABI")
    string(REGEX MATCH "^[0-9]+" release "${LANEWAY_MPI_VERSION}")
else()
    set(LANEWAY_MPI_NAME "MPICH")
endif()
set(LANEWAY_ID "${LANEWAY_MPI_FAMILY}-${release}${LANEWAY_ID_SUFFIX}")

# The launcher must come with the compiler: a job started by another library's launcher falls
# apart into singletons. Debian keeps several libraries in one folder and tells them apart by a
# suffix; everywhere else the launcher is the compiler's neighbour.
cmake_path(GET MPI_C_COMPILER PARENT_PATH folder)
find_program(LANEWAY_MPIEXEC
    NAMES "mpirun.${LANEWAY_MPI_FAMILY}" mpirun mpiexec
    PATHS "${folder}" NO_DEFAULT_PATH
    DOC "The launcher that belongs to the MPI library")
if(NOT LANEWAY_MPIEXEC)
    message(FATAL_ERROR
        "There is no mpirun or mpiexec beside ${MPI_C_COMPILER}; name the launcher of this MPI "
        "library with -DLANEWAY_MPIEXEC=/path/to/mpirun")
endif()

message(NOTICE "Building ${LANEWAY_ID} for ${LANEWAY_MPI_NAME} ${LANEWAY_MPI_VERSION} "
    "(${MPI_C_COMPILER}, ${LANEWAY_MPIEXEC})")
