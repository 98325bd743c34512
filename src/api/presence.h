/* SPDX-License-Identifier: BSD-3-Clause */
/* Signs of the preload for `laneway exec`. */
#pragma once

/* The number that the launcher gave this process, as text; null where it gave none. */
__attribute__((visibility("hidden"))) const char* laneway_rank(void);

/* A job in which some calls are not served is to end (LANEWAY_STRICT). */
__attribute__((visibility("hidden"))) int laneway_all_must_be_served(void);

/* Ends the process in so many seconds, and 0.2 more. The first end is the end of the job, and what is then on its way may
 * be lost. */
__attribute__((visibility("hidden"), noreturn)) void laneway_end_job(int seconds);

/* Leaves word for `laneway exec --strict` that the preload is under this process, which has an MPI library. The word is
 * a file in the folder LANEWAY_MARKS: loaded-RANK, or unknown-RANK where nobody knows that library. */
__attribute__((visibility("hidden"))) void laneway_leave_mark(int is_known);
