#!/bin/sh
# The site holds what its pages show, and its own check sees what is missing. Usage: site.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$source/docs/build" site >out
grep -q 'site/index.html' out || { echo "the program does not say where to look"; exit 1; }
find site -name '*.html' | while read -r page; do
    folder=$(dirname "$page")
    grep -o '\(src\|href\)="[^"]*"' "$page" | sed 's/^[a-z]*="//; s/"$//; s/#.*//' | grep -v '^[a-z]*:' | grep . | sort -u |
        while read -r name; do
            [ -f "$folder/$name" ] || { echo "$page leads to $name, which is not there"; exit 1; }
        done
    if sed 's/<pre>.*<\/pre>//' "$page" | grep -q '!<a '; then echo "$page has a picture that became a link"; exit 1; fi
done
[ "$(grep -rl '<img ' site | wc -l)" -ge 2 ] || { echo "the site has no pictures"; exit 1; }

# links of the pages outside the manual lead to files
for page in README.md CONTRIBUTING.md examples/README.md; do
    grep -o '](\([^)#:]*\))' "$source/$page" | sed 's/^](//; s/)$//' | sort -u | while read -r name; do
        [ -e "$source/$(dirname "$page")/$name" ] || { echo "$page leads to $name, which does not exist"; exit 1; }
    done
done

# the search finds pages by their words
if command -v node >/dev/null; then
    cat >search.mjs <<'END'
import { readFileSync } from "node:fs";
let typed, shown = [];
const field = { dataset: { up: "" }, addEventListener: (name, f) => { if (name === "input") typed = f; } };
const list = { replaceChildren: (...items) => (shown = items) };
globalThis.document = {
  getElementById: (id) => (id === "search" ? field : list),
  createElement: () => ({ append(link) { this.link = link; } }),
};
(0, eval)(readFileSync("site/search.js", "utf8").replace(/^const pages/, "var pages"));
for (const [query, page] of [["redundant constraint", "theory/assembly.html"], ["spring-damper", "reference/spring-damper.html"]]) {
  field.value = query;
  typed();
  if (!shown.some((item) => item.link.href === page)) throw new Error(`"${query}" does not find ${page}`);
}
field.value = "nosuchwordanywhere";
typed();
if (shown.length) throw new Error("a word that is nowhere is found");
END
    node search.mjs
fi

# each of these lines must be noticed
mkdir copy
cp -r "$source/docs" copy/docs
for name in src tests examples scripts include; do ln -s "$source/$name" "copy/$name"; done
copy/docs/build ok >/dev/null
notice() {
    cp "$source/docs/tour.md" copy/docs/tour.md
    printf '\n%s\n' "$1" >>copy/docs/tour.md
    if copy/docs/build bad >/dev/null 2>err; then echo "not noticed: $1"; exit 1; fi
    grep -q "tour.md: no such $2" err || { echo "not told: $1"; cat err; exit 1; }
}
notice '![a picture](pictures/none.png)' 'page or picture'
notice '[a page](none.md)' 'page or picture'
notice '[a heading](messages.md#none)' heading
notice '[a heading of this page](#none)' heading
notice '`src/none.c`' file
echo "the site is whole"
