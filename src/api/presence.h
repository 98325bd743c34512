/* SPDX-License-Identifier: BSD-3-Clause */
/* Signs of the preload for `laneway exec`. */
#pragma once

/* The number that the launcher gave this process, as text; null where it gave none. */
__attribute__((visibility("hidden"))) const char* laneway_rank(void);

/* Leaves word for `laneway exec --strict` that the preload is under this process, which has an MPI library. The word is
 * a file in the folder LANEWAY_MARKS: loaded-RANK, or unknown-RANK where nobody knows that library. */
__attribute__((visibility("hidden"))) void laneway_leave_mark(int is_known);
