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
(top)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--no-colour[No colours, as with NO_COLOR in the environment]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(attach)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--takeover[Take the place of other terminals that are attached to it]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- A pane, an agent or a terminal; without it the agent that needs somebody most, else the focused pane:_default' \
&& ret=0
;;
(down)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(grants)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_drover__subcmd__grants_commands" \
"*::: :->grants" \
&& ret=0

    case $state in
    (grants)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:drover-grants-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane -- The pane, or default for what holds where nothing was given:_default' \
'*::grants -- read, write, fan, respond, admin; or none; or, for a pane, default, and for the default, configured:_default' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':pane -- The pane that would call:_default' \
'::method -- A method, such as pane.send_text:_default' \
'::target -- What the method would name, such as the id of another pane:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(log)
_arguments "${_arguments_options[@]}" : \
'--kind[Only these records\: state (agents'\'' states) or access (what was refused and what panes did to others)]:KIND:(state access)' \
'--agent[Only what is about this agent\: its label, its name or its pane]:AGENT:_default' \
'--since[Only from then on\: 90s, 15m, 2h or 3d ago, today, yesterday, or a date such as 2026-11-30]:WHEN:_default' \
'--limit[Only the latest so many]:COUNT:_default' \
'--session[Mean a named session]:NAME:_default' \
'--follow[Go on and print what comes]' \
'--json[Print JSON, one record a line]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(turns)
_arguments "${_arguments_options[@]}" : \
'()--limit[Only the latest so many]:COUNT:_default' \
'--session[Mean a named session]:NAME:_default' \
'()--follow[Go on and print what changes]' \
'()--json[Print JSON; with --follow, a turn a line]' \
'-h[Print help]' \
'--help[Print help]' \
'::action -- `cancel`\: ask xcsh to end its turn; a program that is not xcsh is ended:(cancel)' \
'::execution -- The execution, as the first column has it:_default' \
&& ret=0
;;
(stats)
_arguments "${_arguments_options[@]}" : \
'--agent[Only this agent\: its label, its name or its pane]:AGENT:_default' \
'--since[Only from then on\: 2h or 3d ago, today, yesterday, or a date such as 2026-11-30; by default the last seven days, and for a picture today]:WHEN:_default' \
'--svg[Write a picture of each day'\''s timeline to a file]:FILE:_files' \
'--session[Mean a named session]:NAME:_default' \
'(--svg)--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(notify)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_drover__subcmd__notify_commands" \
"*::: :->notify" \
&& ret=0

    case $state in
    (notify)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:drover-notify-command-$line[1]:"
        case $line[1] in
            (test)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::sink -- Only this sink:_default' \
&& ret=0
;;
(mute)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane -- The pane:_default' \
&& ret=0
;;
(unmute)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane -- The pane:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(doctor)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--at-herdr[Also put a link to the protocol socket where herdr has its own, for tools that look only there]' \
'--fresh[Keep the saved session aside and begin with an empty one]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(upgrade)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
'::path -- The executable that takes over; by default this one:_files' \
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
'top:Show the agents live, most urgent first, and answer them' \
'attach:Show and drive a pane in this terminal; ctrl+b q detaches' \
'down:Stop the daemon; its panes end' \
'grants:Say what panes may do to others' \
'log:Show what agents did and when, what was refused, and what panes did to others' \
'turns:Show xcsh'\''s turns, or cancel one' \
'stats:Show how long agents worked, waited for somebody and were idle, by day' \
'notify:Be told what agents do' \
'doctor:Look for what is wrong, and say what to do about it' \
'serve:Run the daemon in the foreground' \
'upgrade:Let another build of drover take over; its panes live on' \
'herdr:Do what the same words after the name herdr do' \
'links:Make links by the names drover and herdr' \
'completions:Print a completion script for a shell' \
'man:Print drover'\''s manual page, or write all pages to a directory' \
    )
    _describe -t commands 'drover commands' commands "$@"
}
(( $+functions[_drover__subcmd__attach_commands] )) ||
_drover__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'drover attach commands' commands "$@"
}
(( $+functions[_drover__subcmd__completions_commands] )) ||
_drover__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'drover completions commands' commands "$@"
}
(( $+functions[_drover__subcmd__doctor_commands] )) ||
_drover__subcmd__doctor_commands() {
    local commands; commands=()
    _describe -t commands 'drover doctor commands' commands "$@"
}
(( $+functions[_drover__subcmd__down_commands] )) ||
_drover__subcmd__down_commands() {
    local commands; commands=()
    _describe -t commands 'drover down commands' commands "$@"
}
(( $+functions[_drover__subcmd__grants_commands] )) ||
_drover__subcmd__grants_commands() {
    local commands; commands=(
'list:Show what every pane holds, and what holds by default' \
'set:Give a pane grants, or change what holds by default' \
'explain:Say what a pane may do, and whether a method would be let through' \
    )
    _describe -t commands 'drover grants commands' commands "$@"
}
(( $+functions[_drover__subcmd__grants__subcmd__explain_commands] )) ||
_drover__subcmd__grants__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'drover grants explain commands' commands "$@"
}
(( $+functions[_drover__subcmd__grants__subcmd__list_commands] )) ||
_drover__subcmd__grants__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'drover grants list commands' commands "$@"
}
(( $+functions[_drover__subcmd__grants__subcmd__set_commands] )) ||
_drover__subcmd__grants__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'drover grants set commands' commands "$@"
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
(( $+functions[_drover__subcmd__log_commands] )) ||
_drover__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'drover log commands' commands "$@"
}
(( $+functions[_drover__subcmd__man_commands] )) ||
_drover__subcmd__man_commands() {
    local commands; commands=()
    _describe -t commands 'drover man commands' commands "$@"
}
(( $+functions[_drover__subcmd__notify_commands] )) ||
_drover__subcmd__notify_commands() {
    local commands; commands=(
'test:Send a message through each sink, and say what became of it' \
'mute:Tell nobody what the agent in a pane does' \
'unmute:Tell of it again' \
    )
    _describe -t commands 'drover notify commands' commands "$@"
}
(( $+functions[_drover__subcmd__notify__subcmd__mute_commands] )) ||
_drover__subcmd__notify__subcmd__mute_commands() {
    local commands; commands=()
    _describe -t commands 'drover notify mute commands' commands "$@"
}
(( $+functions[_drover__subcmd__notify__subcmd__test_commands] )) ||
_drover__subcmd__notify__subcmd__test_commands() {
    local commands; commands=()
    _describe -t commands 'drover notify test commands' commands "$@"
}
(( $+functions[_drover__subcmd__notify__subcmd__unmute_commands] )) ||
_drover__subcmd__notify__subcmd__unmute_commands() {
    local commands; commands=()
    _describe -t commands 'drover notify unmute commands' commands "$@"
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
(( $+functions[_drover__subcmd__stats_commands] )) ||
_drover__subcmd__stats_commands() {
    local commands; commands=()
    _describe -t commands 'drover stats commands' commands "$@"
}
(( $+functions[_drover__subcmd__top_commands] )) ||
_drover__subcmd__top_commands() {
    local commands; commands=()
    _describe -t commands 'drover top commands' commands "$@"
}
(( $+functions[_drover__subcmd__turns_commands] )) ||
_drover__subcmd__turns_commands() {
    local commands; commands=()
    _describe -t commands 'drover turns commands' commands "$@"
}
(( $+functions[_drover__subcmd__up_commands] )) ||
_drover__subcmd__up_commands() {
    local commands; commands=()
    _describe -t commands 'drover up commands' commands "$@"
}
(( $+functions[_drover__subcmd__upgrade_commands] )) ||
_drover__subcmd__upgrade_commands() {
    local commands; commands=()
    _describe -t commands 'drover upgrade commands' commands "$@"
}

if [ "$funcstack[1]" = "_drover" ]; then
    _drover "$@"
else
    compdef _drover drover
fi
