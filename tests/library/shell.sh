#!/bin/bash
# Installs the program into a fresh folder and tries what the shells find there: manual page and completions.
set -eu
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/usr" --component programs >/dev/null
export PATH="$folder/usr/bin:$PATH"
share=$folder/usr/share

# the manual page knows every command
for command in $(klingel --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    sed 's/\\f[BIR]/ /g' "$share/man/man1/klingel.1" | grep -q "^\.B.*\b$command\b" || { echo "the manual page lacks $command"; exit 1; }
done

# bash completes commands, options, pages and models
# shellcheck disable=SC1091
. "$share/bash-completion/completions/klingel"
completes() { # completes WANTED WORDS...: WANTED is among what comes for the last word
    local wanted=$1
    shift
    COMP_WORDS=(klingel "$@") COMP_CWORD=$# COMPREPLY=()
    _klingel
    printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "$wanted" || { echo "klingel $*: $wanted is not offered"; exit 1; }
}
completes run ru
completes --checkpoint run --ch
completes revolute help revo
completes slider-crank new sli

# the others are read where their shells are
if command -v zsh >/dev/null; then zsh -n "$share/zsh/site-functions/_klingel"; fi
if command -v fish >/dev/null; then fish -n "$share/fish/vendor_completions.d/klingel.fish"; fi
test -s "$share/zsh/site-functions/_klingel"
test -s "$share/fish/vendor_completions.d/klingel.fish"
