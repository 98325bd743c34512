/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANEWAY_UCX_PROGRESS_H
#define LANEWAY_UCX_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Has `work` called whenever the process makes progress by UCX, with UCX's worker and how much it has moved.
 * Where nobody has put a function of ours in the place of UCX's, this function is not there. */
__attribute__((visibility("default"), weak)) void laneway_with_ucx_progress(
    void (*work)(void* worker, unsigned moved));

#ifdef __cplusplus
}
#endif

#endif
