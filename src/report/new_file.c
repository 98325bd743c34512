/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "report/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Why nothing is to be written into a folder; null: nothing speaks against it. */
static const char* distrust(const struct stat* folder)
{
    if (folder->st_uid == geteuid()) return NULL;
    if (folder->st_uid != 0) return "the folder belongs to another user";
    return (folder->st_mode & S_IWOTH) && !(folder->st_mode & S_ISVTX)
               ? "everybody may take files away from the folder"
               : NULL;
}

int laneway_new_file(const char* folder, const char* name, const char** why)
{
    struct stat status;
    int file = -1;
    const int in = open(folder, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    *why = NULL;
    if (in >= 0) *why = fstat(in, &status) == 0 ? distrust(&status) : strerror(errno);
    if (*why == NULL && in >= 0)
        file = openat(in, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                      0666);
    const int failed = *why != NULL ? EPERM : errno;
    if (in >= 0) close(in);
    errno = failed;
    if (file < 0 && *why == NULL) *why = strerror(failed);
    return file;
}
