# Completion for bash: source this file, or let `make install` put it in place.
_klingel()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$(klingel --help | sed -n 's/^  \([a-z-]*\) .*/\1/p') --help --version" -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(klingel "$command" --help 2>/dev/null | grep -o -- '--[a-z-]*' | sort -u)" -- "$word"))
    elif [ "$command" = help ]; then
        COMPREPLY=($(compgen -W "$(klingel list | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$word"))
    elif [ "$command" = new ] || [ "$command" = demo ]; then
        COMPREPLY=($(compgen -W "$(klingel new | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _klingel klingel
