/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the preload takes the place of where the flight recorder writes calls down, besides those of
 * interposed.h, and in its words. */
#ifndef LANEWAY_RECORDED_H
#define LANEWAY_RECORDED_H

#include "library/interposed.h"

/* Functions that make communicators, and wait; messages that a process may wait for. */
#define LANEWAY_MAKERS(FORM, F)                                              \
    FORM(F, Comm_dup, comm_dup, 2, a, )                                      \
    FORM(F, Comm_dup_with_info, comm_dup_with_info, 3, a, )                  \
    FORM(F, Comm_create, comm_create, 3, a, )                                \
    FORM(F, Comm_create_group, comm_create_group, 4, a, )                    \
    FORM(F, Comm_split, comm_split, 4, a, )                                  \
    FORM(F, Comm_split_type, comm_split_type, 5, a, )                        \
    FORM(F, Cart_create, cart_create, 6, a, )                                \
    FORM(F, Cart_sub, cart_sub, 3, a, )                                      \
    FORM(F, Graph_create, graph_create, 6, a, )                              \
    FORM(F, Dist_graph_create, dist_graph_create, 9, a, )                    \
    FORM(F, Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, a, ) \
    FORM(F, Intercomm_create, intercomm_create, 6, a, )                      \
    FORM(F, Intercomm_merge, intercomm_merge, 3, a, )
#define LANEWAY_MESSAGES(FORM, F)                       \
    FORM(F, Send, send, 6, f, )                         \
    FORM(F, Ssend, ssend, 6, f, )                       \
    FORM(F, Recv, recv, 7, f, )                         \
    FORM(F, Sendrecv, sendrecv, 12, k, )                \
    FORM(F, Sendrecv_replace, sendrecv_replace, 9, h, ) \
    FORM(F, Probe, probe, 4, c, )                       \
    FORM(F, Mprobe, mprobe, 5, c, )

#define LANEWAY_RECORDED(F)               \
    LANEWAY_MAKERS(LANEWAY_BLOCKING, F)   \
    LANEWAY_MESSAGES(LANEWAY_BLOCKING, F) \
    LANEWAY_BLOCKING(F, Finalize, finalize, 0, , )

#endif
