#compdef drover

autoload -U is-at-least

_drover() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_drover_commands" \
"*::: :->drover" \
&& ret=0
    case $state in
    (drover)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:drover-command-$line[1]:"
        case $line[1] in
            (up)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--at-herdr[Also put a link to the protocol socket where herdr has its own, for tools that look only there]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(ps)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'--watch[Print a line each time an agent comes, changes its status or goes]' \
'--all[Print every pane, also while a view of the agents is set]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(down)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--at-herdr[Also put a link to the protocol socket where herdr has its own, for tools that look only there]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(herdr)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
'*::words -- A command of herdr'\''s, with its arguments:_default' \
&& ret=0
;;
(links)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':directory -- Where to make them; a directory that is made if it is not there:_default' \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
'--name[For which of the program'\''s names]:NAME:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
'::shell -- The shell\: bash, elvish, fish, powershell or zsh:_default' \
&& ret=0
;;
(man)
_arguments "${_arguments_options[@]}" : \
'--out[Write every page to this directory instead]:DIR:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
}

(( $+functions[_drover_commands] )) ||
_drover_commands() {
    local commands; commands=(
'up:Start the daemon if it is not running, with a workspace to begin with' \
'ps:Show the panes and their agents' \
'down:Stop the daemon; its panes end' \
'serve:Run the daemon in the foreground' \
'herdr:Do what the same words after the name herdr do' \
'links:Make links by the names drover and herdr' \
'completions:Print a completion script for a shell' \
'man:Print drover'\''s manual page, or write all pages to a directory' \
    )
    _describe -t commands 'drover commands' commands "$@"
}
(( $+functions[_drover__subcmd__completions_commands] )) ||
_drover__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'drover completions commands' commands "$@"
}
(( $+functions[_drover__subcmd__down_commands] )) ||
_drover__subcmd__down_commands() {
    local commands; commands=()
    _describe -t commands 'drover down commands' commands "$@"
}
(( $+functions[_drover__subcmd__herdr_commands] )) ||
_drover__subcmd__herdr_commands() {
    local commands; commands=()
    _describe -t commands 'drover herdr commands' commands "$@"
}
(( $+functions[_drover__subcmd__links_commands] )) ||
_drover__subcmd__links_commands() {
    local commands; commands=()
    _describe -t commands 'drover links commands' commands "$@"
}
(( $+functions[_drover__subcmd__man_commands] )) ||
_drover__subcmd__man_commands() {
    local commands; commands=()
    _describe -t commands 'drover man commands' commands "$@"
}
(( $+functions[_drover__subcmd__ps_commands] )) ||
_drover__subcmd__ps_commands() {
    local commands; commands=()
    _describe -t commands 'drover ps commands' commands "$@"
}
(( $+functions[_drover__subcmd__serve_commands] )) ||
_drover__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'drover serve commands' commands "$@"
}
(( $+functions[_drover__subcmd__up_commands] )) ||
_drover__subcmd__up_commands() {
    local commands; commands=()
    _describe -t commands 'drover up commands' commands "$@"
}

if [ "$funcstack[1]" = "_drover" ]; then
    _drover "$@"
else
    compdef _drover drover
fi
