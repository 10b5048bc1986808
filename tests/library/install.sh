#!/bin/sh
# Installs the library into a fresh folder and builds the example against it by pkg-config and by find_package.
set -eu
build=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CFLAGS="${3:-}"
cmake --install "$build" --prefix "$folder/usr" --component library >/dev/null
mkdir "$folder/pc" "$folder/cmake"
cp "$source"/examples/library/* "$folder"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/usr" -name klingel.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086
${CC:-cc} $CFLAGS -std=c17 -Wall -Wextra -Werror "$folder/swing.c" $(pkg-config --cflags --libs klingel) -lm -o "$folder/pc/swing"
cmake -S "$folder" -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$folder/usr" >/dev/null
cmake --build "$folder/cmake" >/dev/null

"$folder/pc/swing" "$folder/swing.yaml" "$folder/swing.h5" | tee "$folder/pc.txt"
"$folder/cmake/swing" "$folder/swing.yaml" >"$folder/cmake.txt"
cmp "$folder/pc.txt" "$folder/cmake.txt"
test -s "$folder/swing.h5"
# periods within a thousandth of theory
awk 'NR > 1 && NR < 5 { n++; if ($2 / $3 < 0.999 || $2 / $3 > 1.001) exit 1 } END { if (n != 3) exit 1 }' "$folder/pc.txt"
# the headers alone, in C++ too where there is a compiler
if command -v c++ >/dev/null; then
    echo '#include <klingel/klingel.h>' | c++ -I"$folder/usr/include" -x c++ -fsyntax-only -
fi
# the program on the page about the library, which calls every function of the header
awk '/^```c/ { p = 1; next } /^```/ { p = 0 } p' "$source/docs/library.md" >"$folder/page.c"
for call in $(grep -o 'kl_[a-z_]*(' "$source/include/klingel/klingel.h" | sort -u); do
    grep -qF "$call" "$folder/page.c" || { echo "docs/library.md does not call $call)"; exit 1; }
done
# shellcheck disable=SC2046,SC2086
${CC:-cc} $CFLAGS -std=c17 -Wall -Wextra -Werror "$folder/page.c" $(pkg-config --cflags --libs klingel) -lm -o "$folder/pc/page"
"$folder/pc/page" "$folder/page.h5"
test -s "$folder/page.h5"
