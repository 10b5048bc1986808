#!/bin/sh
# The reduction on two ranks gives the frequencies of the sequential one: compare.sh KLINGEL KLINGEL_FE_MPI BODY.yaml
set -e
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
one=$(mktemp) two=$(mktemp)
trap 'rm -f "$one" "$two"' EXIT
"$1" fe "$3" --csv -q > "$one"
mpirun --oversubscribe -n 2 "$2" "$3" --csv > "$two"
paste -d, "$one" "$two" | awk -F, '
    NR > 1 { d = $2 / $4 - 1; if (d < 0) d = -d; if (d > worst) worst = d; n++ }
    END { printf "%d modes, largest relative difference %.1e\n", n, worst; exit !(n > 5 && worst < 1e-8) }'
