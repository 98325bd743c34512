/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments are passed on unread, as words: all arguments of the functions that the preload takes the
 * place of are integers or addresses. The calling conventions of the 64-bit systems put either into the
 * same registers or stack slots, whatever mpi.h makes of the handles. */
#ifndef LANEWAY_WORDS_H
#define LANEWAY_WORDS_H

#include <stdint.h>
#include <string.h>

typedef intptr_t Word;
_Static_assert(sizeof(Word) == 8, "arguments are passed on as 64-bit words");

typedef void Function(void);

static inline Function* as_function(void* address)
{
    Function* function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* Parameters and arguments of a function of so many. */
#define WORDS_0 void
#define WORDS_1 Word a
#define WORDS_2 WORDS_1, Word b
#define WORDS_3 WORDS_2, Word c
#define WORDS_4 WORDS_3, Word d
#define WORDS_5 WORDS_4, Word e
#define WORDS_6 WORDS_5, Word f
#define WORDS_7 WORDS_6, Word g
#define WORDS_8 WORDS_7, Word h
#define WORDS_9 WORDS_8, Word i
#define WORDS_10 WORDS_9, Word j
#define WORDS_11 WORDS_10, Word k
#define WORDS_12 WORDS_11, Word l
#define GIVEN_0
#define GIVEN_1 a
#define GIVEN_2 GIVEN_1, b
#define GIVEN_3 GIVEN_2, c
#define GIVEN_4 GIVEN_3, d
#define GIVEN_5 GIVEN_4, e
#define GIVEN_6 GIVEN_5, f
#define GIVEN_7 GIVEN_6, g
#define GIVEN_8 GIVEN_7, h
#define GIVEN_9 GIVEN_8, i
#define GIVEN_10 GIVEN_9, j
#define GIVEN_11 GIVEN_10, k
#define GIVEN_12 GIVEN_11, l

#endif
