#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# rank VARIABLE BINDING LANES NODES REALTIME PRELOAD PROGRAM...: starts a rank on its lanes.
#
# VARIABLE is the environment variable by which the MPI library learns its devices. BINDING:
# `lane` gives the rank the lane (local rank mod LANES), `one` lane 0, `all` every lane.
# REALTIME runs the rank under SCHED_RR: `any` on any processor, 0,2,3 on one of these. Empty: as ever. PRELOAD is a
# library to load first, or empty.
variable=$1 binding=$2 lanes=$3 nodes=$4 realtime=$5 preload=$6
shift 6
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}
case $binding in
lane) devices=lane$((rank % lanes)) ;;
one) devices=lane0 ;;
all)
    devices=lane0
    lane=1
    while [ "$lane" -lt "$lanes" ]; do
        devices=$devices,lane$lane
        lane=$((lane + 1))
    done
    ;;
esac
export "$variable=$devices"
if [ -n "$preload" ]; then
    export LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}"
fi
case $realtime in
'') exec "$@" ;;
any) exec chrt --rr 1 "$@" ;;
esac
# The kernel leaves those of one priority on the processors where they happen to be: 13 of 16 on one of two, say,
# which makes a job one and a half times as long. As many on each, and those of a node together where that can be.
node=$(uname -n)
cpus=$(echo "$realtime" | tr , ' ')
at=$((${node#node} + rank * nodes))
shift_cpus() {
    shift $((at % $#))
    cpu=$1
}
# shellcheck disable=SC2086 # one word each
shift_cpus $cpus
exec taskset --cpu-list "$cpu" chrt --rr 1 "$@"
