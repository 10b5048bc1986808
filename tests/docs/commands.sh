#!/bin/sh
# Every `klingel ...` line of the pages outside the guide (which has a test of its own) is run as it stands, in a fresh
# folder that has the examples beside it. commands.sh PROGRAM SOURCE
set -eu
program=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/klingel"
PATH=$work/bin:$PATH
count=0
for page in "$source"/README.md "$source"/docs/*.md "$source"/docs/recipes/*.md "$source"/examples/*/README.md; do
    grep -q '^ *klingel [a-z]' "$page" || continue
    case $page in */fe-frame/README.md | */locomotive/README.md | */train-against-train/README.md | */freight-wagon/README.md | */metro-trailer/README.md | */coach-train/README.md | */bogie-hunting/README.md | */light-rail-vehicle/README.md) continue ;; esac # minutes of processor time
    rm -rf "$work/here"
    mkdir "$work/here"
    cd "$work/here"
    ln -s "$source/examples" examples
    case $page in # what the page has beside it
    */examples/*/README.md) cp -r "$(dirname "$page")"/* . ;;
    */docs/stress.md) cp "$source"/examples/fatigue-beam/* . ;;
    */flexible-body.md) cp "$source"/examples/fe-rod/* . ;;
    */docs/recipes/*.md) sed -n '/^```yaml/,/^```/{/^```/d;p}' "$page" >model.yaml ;;
    "$source/README.md") sed -n '/^```yaml/,/^```/{/^```/d;p}' "$page" >pendulum.yaml ;;
    esac
    sed -n 's/^ *\(klingel [a-z].*\)/\1/p' "$page" | sed 's/  *#.*//' >commands
    while read -r command; do
        status=0
        sh -c "$command" >out 2>&1 </dev/null || status=$?
        case $status in 0 | 4) ;; *) cat out; echo "$page: \`$command\` fails"; exit 1 ;; esac # 4: a limit is exceeded
        count=$((count + 1))
    done <commands
done
echo "$count commands ran"
test "$count" -ge 35
