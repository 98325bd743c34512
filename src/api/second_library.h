/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "api/library.h"

/* Two MPI libraries in a process are two worlds, of which only the first is served. Says so where there are two, and ends
 * a job that wants all served (LANEWAY_STRICT). */
void laneway_say_of_second_library(const Library* first);
