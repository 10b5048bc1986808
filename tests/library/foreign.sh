#!/bin/sh
# Linear models as other programs read them: the eigenvalues that Octave or SciPy find in the MAT file are those that
# klingel prints. foreign.sh KLINGEL SOURCE; 77: neither is installed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" modes "$2/examples/carter-wheelset/model.yaml" -o "$folder/linear.mat" --csv >"$folder/modes.csv"
tested=77
if command -v octave-cli >/dev/null; then
    octave-cli --quiet --no-init-file --eval "
        m = load('$folder/linear.mat');
        given = csvread('$folder/modes.csv', 1, 0);
        found = eig(m.A, m.E);
        printed = given(:, 1) + 1i*given(:, 2);
        for k = 1:numel(printed) assert(min(abs(found - printed(k))) < 1e-9*abs(printed(k))); end
        assert(size(m.B), [4, 0]); assert(size(m.D), [2, 0]);
        assert(m.states{4}, \"wheelset.turn_z'\"); assert(m.outputs{2}, 'psi_rad');
        assert(isequal(m.eigenvalues(:, 1:2), given(:, 1:2)) || norm(m.eigenvalues(:, 1:2) - given(:, 1:2)) < 1e-9);"
    echo "read by Octave"
    tested=0
fi
for python in python3 /usr/bin/python3; do
    "$python" -c "import scipy.io, scipy.linalg" 2>/dev/null || continue
    "$python" - "$folder" <<'END'
import csv, sys
import scipy.io, scipy.linalg
m = scipy.io.loadmat(sys.argv[1] + "/linear.mat")
found = scipy.linalg.eigvals(m["A"], m["E"])
for row in csv.DictReader(open(sys.argv[1] + "/modes.csv")):
    value = complex(float(row["real"]), float(row["imag"]))
    assert min(abs(found - value)) < 1e-9 * abs(value), row
assert m["B"].shape == (4, 0) and m["D"].shape == (2, 0)
assert m["states"][3][0][0] == "wheelset.turn_z'" and m["outputs"][1][0][0] == "psi_rad"
END
    echo "read by SciPy"
    tested=0
    break
done
exit $tested
