#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# agent HOST COMMAND...: runs a command on a node, as rsh would, from the login node.
#
# The file `nodes` beside this script names the process that holds each node. The command sees the
# files of whoever starts it, with a /proc, a /sys and a /dev/shm of its own, which vanish with the
# last of its processes.
host=$1
shift
pid=$(sed -n "s/^$host //p" "$(dirname "$0")/nodes")
if [ -z "$pid" ]; then
    echo "laneway cluster: no node $host" >&2
    exit 1
fi
export TMPDIR=/dev/shm
exec nsenter --target "$pid" --net --uts --ipc -- \
    unshare --mount-proc --propagation slave -- /bin/sh -c '
        mount -t sysfs -o nosuid,nodev,noexec sysfs /sys || exit 1
        mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs /dev/shm || exit 1
        cd "$0" 2>/dev/null
        eval "$*"' "$PWD" "$@"
