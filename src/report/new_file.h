/* SPDX-License-Identifier: BSD-3-Clause */
/* Files written on behalf of a job, into a folder that others may know of; for C and C++. */
#ifndef LANEWAY_NEW_FILE_H
#define LANEWAY_NEW_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a file for writing that was not there before. It never opens one that is there, whatever it is, nor
 * a link's target, and it waits for nobody. The folder must belong to the user or to root. Root's must not be
 * one where everybody may write and take away what others have written. Returns a file descriptor or -1:
 * `*why` says why in words, errno is EEXIST where the name is taken. */
int laneway_new_file(const char* folder, const char* name, const char** why);

#ifdef __cplusplus
}
#endif

#endif
