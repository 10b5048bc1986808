#!/bin/sh
# What `examples/locomotive/study` makes again: nothing when it is repeated, everything that depends on it when a track or a ride changes. A
# program that only notes its commands stands in for klingel. study.sh SOURCE; 77: gnuplot is not installed.
set -eu
command -v gnuplot >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/klingel" <<'END'
#!/bin/sh
echo "$*" >>"$NOTES"
if [ "$1" = sweep ] && [ $# -eq 2 ]; then
    for s in 1 2 3; do
        for ride in rigid flexible crack-1-40; do [ -s "${2%/*}/$ride-$s.h5" ] || echo ride >"${2%/*}/$ride-$s.h5"; done
    done
fi
while [ $# -gt 0 ]; do
    if [ "$1" = -o ]; then echo made >"$2"; fi
    shift
done
echo text
END
chmod +x "$folder/klingel"
study() {
    NOTES=$folder/notes KLINGEL=$folder/klingel "$1/examples/locomotive/study" --quick "$folder/out" >/dev/null
}
# made WORDS...: how many commands begin with one of these words
made() {
    n=0
    for word in "$@"; do n=$((n + $(grep -c "^$word " "$folder/notes" || true))); done
    echo "$n"
}
expect() { [ "$2" = "$3" ] || { echo "study.sh: $1: $2 commands instead of $3"; exit 1; }; }

study "$1"
test -s "$folder/out/report.html"
expect "first start" "$(made plot)" 9
expect "first start" "$(made run)" 4
expect "first start" "$(made stress)" 4
sleep 1
: >"$folder/notes"
study "$1"
expect "repeated" "$(made plot run stress)" 0
: >"$folder/notes"
SEEDS="2 3" study "$1"
expect "another first track: figures" "$(made plot)" 9
expect "another first track: rides for stress" "$(made run)" 2
expect "another first track: stress" "$(made stress)" 2
sleep 1
: >"$folder/notes"
echo again >"$folder/out/crack-1-40-2.h5"
SEEDS="2 3" study "$1"
expect "one ride made again" "$(made plot)" 1
expect "one ride made again" "$(made run stress)" 0
sleep 1
: >"$folder/notes"
touch "$folder/out/frame-healthy.msh"
SEEDS="2 3" study "$1"
expect "another mesh of the healthy frame: rides" "$(made run)" 3
expect "another mesh of the healthy frame: stress" "$(made stress)" 3

# numbers that no study can be made of end it before anything is made
for bad in SEEDS=1 SEEDS=one PLACES=5 DEPTHS=95 SPEED=fast; do
    if (export "$bad" && study "$1") 2>"$folder/err"; then echo "study.sh: $bad was not refused"; exit 1; fi
    grep -q "^study: ${bad%%=*}: " "$folder/err"
done
