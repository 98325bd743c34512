#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# rank VARIABLE BINDING LANES FIRSTS STRIDE REALTIME PRELOAD PROGRAM...: starts a rank on its lanes.
#
# VARIABLE is the environment variable by which the MPI library learns its devices. BINDING:
# `lane` gives the rank the lane (local rank mod LANES), `one` lane 0, `all` every lane.
# REALTIME runs the rank under SCHED_RR: `any` on any processor, 0,2,3 on one of these, in turn by the rank's number, which is
# the one of FIRSTS that is its node's and STRIDE more for each local rank before it. Empty: as ever. PRELOAD is a library to
# load first, or empty.
variable=$1 binding=$2 lanes=$3 firsts=$4 stride=$5 realtime=$6 preload=$7
shift 7
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}
case $binding in
lane) devices=lane$((rank % lanes)) ;;
one) devices=lane0 lanes=1 ;;
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
export LANEWAY_EMULATED=1 # by which profiles that hold on emulated nodes alone know where they are
export LANEWAY_EMULATED_LANES="$lanes"
export LANEWAY_EMULATED_BINDING="$binding" # by which rules that ask for it hold
if [ -n "$preload" ]; then
    export LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}"
fi
case $realtime in
'') exec "$@" ;;
any) exec chrt --rr 1 "$@" ;;
esac
# The kernel leaves those of one priority on the processors where they happen to be: 13 of 16 on one of two, say,
# which makes a job one and a half times as long.
node=$(uname -n)
first=$(echo "$firsts" | cut -d , -f $((${node#node} + 1)))
count=$(echo "$realtime" | tr , '\n' | wc -l)
cpu=$(echo "$realtime" | cut -d , -f $(((first + rank * stride) % count + 1)))
exec taskset --cpu-list "$cpu" chrt --rr 1 "$@"
