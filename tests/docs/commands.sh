#!/bin/sh
# Every `klingel ...` line of the pages outside the guide (which has a test of its own) is run as it stands, in a fresh
# folder that has the examples beside it. A command whose comment says that it takes minutes is left out, and so are
# those that read the file it would have written. The slowest commands are printed at the end.
# commands.sh PROGRAM SOURCE
set -eu
program=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/klingel"
PATH=$work/bin:$PATH
count=0
left_out=0

# The files beside the page that its commands expect in the folder where they run.
prepare_folder() {
    rm -rf "$work/here"
    mkdir "$work/here"
    cd "$work/here"
    ln -s "$source/examples" examples
    case $1 in
    */examples/*/README.md) cp -r "$(dirname "$1")"/* . ;;
    */docs/stress.md) cp "$source"/examples/fatigue-beam/* . ;;
    */flexible-body.md) cp "$source"/examples/fe-rod/* . ;;
    */docs/recipes/*.md) sed -n '/^```yaml/,/^```/{/^```/d;p}' "$1" >model.yaml ;;
    "$source/README.md") sed -n '/^```yaml/,/^```/{/^```/d;p}' "$1" >pendulum.yaml ;;
    esac
}

# A command takes minutes by its own comment, or reads a file in $missing that such a command would have written.
takes_minutes() {
    case $1 in *\#*minute*) return 0 ;; esac
    for file in $missing; do
        case " $1 " in *" $file "*) return 0 ;; esac
    done
    return 1
}

for page in "$source"/README.md "$source"/docs/*.md "$source"/docs/recipes/*.md "$source"/examples/*/README.md; do
    grep -q '^ *klingel [a-z]' "$page" || continue
    prepare_folder "$page"
    missing=
    sed -n 's/^ *\(klingel [a-z].*\)/\1/p' "$page" >commands
    while read -r line; do
        command=$(echo "$line" | sed 's/  *#.*//')
        if takes_minutes "$line"; then
            missing="$missing $(echo "$command" | sed -n 's/.* -o \([^ ]*\).*/\1/p')"
            left_out=$((left_out + 1))
            continue
        fi
        status=0
        begin=$(date +%s)
        sh -c "$command" >out 2>&1 </dev/null || status=$?
        case $status in 0 | 4) ;; *) cat out; echo "$page: \`$command\` fails"; exit 1 ;; esac # 4: a limit is exceeded
        echo "$(($(date +%s) - begin)) s  ${page#"$source"/}: $command" >>"$work/times"
        count=$((count + 1))
    done <commands
done
sort -rn "$work/times" | head -n 12
echo "$count commands ran, $left_out that take minutes were left out"
test "$count" -ge 35
