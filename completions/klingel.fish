# Completion for fish: put this file into ~/.config/fish/completions, or let `make install` do it.
function __klingel_first
    test (count (commandline -opc)) -eq 1
end
function __klingel_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end
function __klingel_options
    set -l words (commandline -opc)
    klingel $words[2] --help 2>/dev/null | string match -ra -- '--[a-z-]+' | sort -u
end
complete -c klingel -n __klingel_first -f -a "(klingel --help | string replace -rf '^  ([a-z-]+) +(.*)' '\$1\t\$2')"
complete -c klingel -n '__klingel_command help' -f -a "(klingel list | string replace -rf '^  ([a-z-]+) +(.*)' '\$1\t\$2')"
complete -c klingel -n '__klingel_command new demo' -f -a "(klingel new | string replace -rf '^  ([a-z-]+) +(.*)' '\$1\t\$2')"
complete -c klingel -n 'not __klingel_first' -a "(__klingel_options)"
