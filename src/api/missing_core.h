/* SPDX-License-Identifier: BSD-3-Clause */
/* Why this process has no core, and who says so. */
#ifndef LANEWAY_MISSING_CORE_H
#define LANEWAY_MISSING_CORE_H

/* Notes that there is no core: `what`, `about` and, where not null, `details`. */
void laneway_take_note_of_missing_core(const char* what, const char* about, const char* details);

/* Whether somebody has asked for the core in vain. */
int laneway_core_is_missing(void);

/* Whether a job without a core is to end (LANEWAY_STRICT). */
int laneway_core_must_be_there(void);

/* Whether this process speaks for the job, where no process has a core. */
int laneway_speaks_of_missing_core(void);

/* Says why there is no core, once. */
void laneway_say_core_is_missing(void);

#endif
