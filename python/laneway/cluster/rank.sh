#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# rank VARIABLE BINDING LANES REALTIME PRELOAD PROGRAM...: starts a rank on its lanes.
#
# VARIABLE is the environment variable by which the MPI library learns its devices. BINDING:
# `lane` gives the rank the lane (local rank mod LANES), `one` lane 0, `all` every lane.
# REALTIME 1 runs the rank under SCHED_RR. PRELOAD is a library to load first, or empty.
variable=$1 binding=$2 lanes=$3 realtime=$4 preload=$5
shift 5
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
if [ "$realtime" = 1 ]; then
    exec chrt --rr 1 "$@"
fi
exec "$@"
