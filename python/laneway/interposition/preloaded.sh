# SPDX-License-Identifier: BSD-3-Clause
#
# usage: preloaded.sh PRELOAD PROGRAM [WORD...]
# Becomes PROGRAM, on one rank of a job, once it is sure that Laneway's preload is in the process:
# the preload turns LANEWAY_LOADED=0 into 1 (src/api/presence.c). With LANEWAY_MARKS, leaves word
# that the rank has started. Says what is missing otherwise, and ends; the launcher then ends the job.

preload=$1
shift
rank=${PMIX_RANK:-${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-?}}}}
if [ "$LANEWAY_LOADED" = 1 ]; then
    unset LANEWAY_LOADED
    if [ "$LANEWAY_MARKS" ]; then true 2>/dev/null >"$LANEWAY_MARKS/started-$rank"; fi
    exec "$@"
fi

if [ ! -r "$preload" ]; then
    reason="there is no $preload on this host"
else
    case :$LD_PRELOAD: in
    *:"$preload":*) reason="the loader could not load $preload" ;;
    *) reason="LD_PRELOAD did not reach it" ;;
    esac
fi
echo "laneway: rank $rank on $(uname -n) would run without Laneway: $reason" >&2
sleep 1 # for the other ranks to say so, too: the first end is the end of the job
exit 1
