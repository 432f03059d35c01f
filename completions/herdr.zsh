#compdef herdr

autoload -U is-at-least

_herdr() {
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
":: :_herdr_commands" \
"*::: :->herdr" \
&& ret=0
    case $state in
    (herdr)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-command-$line[1]:"
        case $line[1] in
            (status)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__status_commands" \
"*::: :->status" \
&& ret=0

    case $state in
    (status)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-status-command-$line[1]:"
        case $line[1] in
            (server)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(client)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(server)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__server_commands" \
"*::: :->server" \
&& ret=0

    case $state in
    (server)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-server-command-$line[1]:"
        case $line[1] in
            (stop)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(live-handoff)
_arguments "${_arguments_options[@]}" : \
'--import-exe[The executable that takes over; by default the one that is installed where the server'\''s was]:PATH:_files' \
'--expected-protocol[The protocol that it has to speak]:N:_default' \
'--expected-version[The version that it has to have]:VERSION:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(reload-config)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(agent-manifests)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(update-agent-manifests)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(reload-agent-manifests)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(session)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__session_commands" \
"*::: :->session" \
&& ret=0

    case $state in
    (session)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-session-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(attach)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':name -- The session:_default' \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':name -- The session; "default" is the default one:_default' \
&& ret=0
;;
(delete)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':name -- The session:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(machine)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__machine_commands" \
"*::: :->machine" \
&& ret=0

    case $state in
    (machine)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-machine-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
'::machine -- A machine; by default all that are enabled:_default' \
&& ret=0
;;
(reconnect)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':machine -- The machine:_default' \
&& ret=0
;;
(add)
_arguments "${_arguments_options[@]}" : \
'--label[What to call it; by default its host]:TEXT:_default' \
'--remote-session[The session there; by default the default session]:NAME:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- A host, user@host, ssh\://user@host\:port or a name from your ssh configuration:_default' \
&& ret=0
;;
(rename)
_arguments "${_arguments_options[@]}" : \
'--label[What to call it (required)]:TEXT:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The machine'\''s id:_default' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The machine'\''s id:_default' \
&& ret=0
;;
(enable)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The machine'\''s id:_default' \
&& ret=0
;;
(disable)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The machine'\''s id:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(workspace)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__workspace_commands" \
"*::: :->workspace" \
&& ret=0

    case $state in
    (workspace)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-workspace-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(create)
_arguments "${_arguments_options[@]}" : \
'--cwd[Where its first pane starts]:PATH:_default' \
'--label[Its name]:TEXT:_default' \
'*--env[Set a variable in the new pane; may be repeated]:KEY=VALUE:_default' \
'--grants[What the new pane may do to others\: words between blanks, or none; by default what is configured]:WORDS:_default' \
'--session[Mean a named session]:NAME:_default' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(get)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':workspace_id -- The workspace:_default' \
&& ret=0
;;
(focus)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':workspace_id -- The workspace:_default' \
&& ret=0
;;
(rename)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':workspace_id -- The workspace:_default' \
'*::label -- Its new name; several words are joined:_default' \
&& ret=0
;;
(report-metadata)
_arguments "${_arguments_options[@]}" : \
'--source[Who reports (required)]:ID:_default' \
'*--token[Set a token; may be repeated]:NAME=VALUE:_default' \
'*--clear-token[Clear a token; may be repeated]:NAME:_default' \
'--seq[Grows with each report of a source; an older one is dropped]:N:_default' \
'--ttl-ms[Milliseconds until it expires]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':workspace_id -- The workspace:_default' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--group[Also close the workspaces of its linked worktrees]' \
'-h[Print help]' \
'--help[Print help]' \
':workspace_id -- The workspace:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(worktree)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__worktree_commands" \
"*::: :->worktree" \
&& ret=0

    case $state in
    (worktree)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-worktree-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--workspace[A workspace in it; by default the active one]:ID:_default' \
'--cwd[A directory in it]:PATH:_default' \
'--session[Mean a named session]:NAME:_default' \
'--trust-repository[Take a repository that belongs to another user]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(create)
_arguments "${_arguments_options[@]}" : \
'--workspace[A workspace in it; by default the active one]:ID:_default' \
'--cwd[A directory in it]:PATH:_default' \
'--branch[The branch, which need not exist; by default one with a made-up name]:NAME:_default' \
'--base[What a new branch starts from]:REF:_default' \
'--path[Where to check it out]:PATH:_default' \
'--label[The workspace'\''s name]:TEXT:_default' \
'--session[Mean a named session]:NAME:_default' \
'--trust-repository[Take a repository that belongs to another user]' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(open)
_arguments "${_arguments_options[@]}" : \
'--workspace[A workspace in it; by default the active one]:ID:_default' \
'--cwd[A directory in it]:PATH:_default' \
'--path[The checkout'\''s directory]:PATH:_default' \
'--branch[The branch that is checked out in it]:NAME:_default' \
'--label[The workspace'\''s name]:TEXT:_default' \
'--session[Mean a named session]:NAME:_default' \
'--trust-repository[Take a repository that belongs to another user]' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--workspace[The checkout'\''s workspace (required)]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--force[Also if work in it is lost; its programs are ended first]' \
'--trust-repository[Take a repository that belongs to another user]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(tab)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__tab_commands" \
"*::: :->tab" \
&& ret=0

    case $state in
    (tab)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-tab-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--workspace[Only this workspace'\''s]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(create)
_arguments "${_arguments_options[@]}" : \
'--workspace[The workspace it belongs to; the active one by default]:ID:_default' \
'--cwd[Where its pane starts]:PATH:_default' \
'--label[Its name]:TEXT:_default' \
'*--env[Set a variable in the new pane; may be repeated]:KEY=VALUE:_default' \
'--grants[What the new pane may do to others\: words between blanks, or none; by default what is configured]:WORDS:_default' \
'--session[Mean a named session]:NAME:_default' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(get)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':tab_id -- The tab:_default' \
&& ret=0
;;
(focus)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':tab_id -- The tab:_default' \
&& ret=0
;;
(rename)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':tab_id -- The tab:_default' \
'*::label -- Its new name; several words are joined:_default' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':tab_id -- The tab:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(pane)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__pane_commands" \
"*::: :->pane" \
&& ret=0

    case $state in
    (pane)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-pane-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--workspace[Only this workspace'\''s]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(current)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(get)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(layout)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(process-info)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(edges)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(neighbor)
_arguments "${_arguments_options[@]}" : \
'--direction[On which side]:SIDE:(left right up down)' \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(focus)
_arguments "${_arguments_options[@]}" : \
'--direction[On which side]:SIDE:(left right up down)' \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(resize)
_arguments "${_arguments_options[@]}" : \
'--direction[Which way its edge moves]:SIDE:(left right up down)' \
'--amount[By which share of the split]:FLOAT:_default' \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(zoom)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'--toggle[Change over; the default]' \
'--on[Zoom]' \
'--off[Unzoom]' \
'-h[Print help]' \
'--help[Print help]' \
'::pane_id -- The pane:_default' \
&& ret=0
;;
(rename)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--clear[Take the name away]' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
'*::label -- Its new name; several words are joined:_default' \
&& ret=0
;;
(input)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--right-click[Who gets right clicks\: herdr with its menu, or the program in the pane]:WHO:(herdr pane)' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
'::pane_id -- The pane:_default' \
&& ret=0
;;
(split)
_arguments "${_arguments_options[@]}" : \
'--pane[The pane]:ID:_default' \
'--direction[Where the new pane goes]:SIDE:(right down)' \
'--ratio[The share that the split pane keeps]:FLOAT:_default' \
'--cwd[Where the new pane starts]:PATH:_default' \
'*--env[Set a variable in the new pane; may be repeated]:KEY=VALUE:_default' \
'--grants[What the new pane may do to others\: words between blanks, or none; by default what is configured]:WORDS:_default' \
'--right-click[Who gets right clicks in the new pane; herdr by default]:WHO:(herdr pane)' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
'::pane_id -- The pane:_default' \
&& ret=0
;;
(swap)
_arguments "${_arguments_options[@]}" : \
'--direction[With the neighbour on this side]:SIDE:(left right up down)' \
'--pane[The pane]:ID:_default' \
'--source-pane[One of two named panes]:ID:_default' \
'--target-pane[The other]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--current[The pane this command runs in]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(move)
_arguments "${_arguments_options[@]}" : \
'--tab[Into this tab]:ID:_default' \
'--split[With --tab\: on which side of a pane there]:SIDE:(right down)' \
'--target-pane[With --tab\: which pane there; its focused one by default]:ID:_default' \
'--ratio[With --tab\: the share that pane keeps]:FLOAT:_default' \
'--workspace[With --new-tab\: in which workspace]:ID:_default' \
'--label[The name of the new tab or workspace]:TEXT:_default' \
'--tab-label[With --new-workspace\: the name of its tab]:TEXT:_default' \
'--session[Mean a named session]:NAME:_default' \
'--new-tab[Into a tab of its own]' \
'--new-workspace[Into a workspace of its own]' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(read)
_arguments "${_arguments_options[@]}" : \
'--source[What to read; recent by default]:SOURCE:(visible recent recent-unwrapped detection)' \
'--lines[How many of the latest lines]:N:_default' \
'--format[How to write it; text by default]:FORMAT:(text ansi)' \
'--session[Mean a named session]:NAME:_default' \
'--ansi[The same as --format ansi]' \
'--raw[With every escape sequence as it is]' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(send-text)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
'*::text -- The text, as it is; several words are joined:_default' \
&& ret=0
;;
(send-keys)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
'*::keys -- Keys such as Enter, ctrl+c, f5 or a:_default' \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
'*::command -- The command line, as it is; several words are joined:_default' \
&& ret=0
;;
(wait-output)
_arguments "${_arguments_options[@]}" : \
'--match[Wait for this text, anywhere in a line]:TEXT:_default' \
'--regex[Wait for a line that this regular expression matches]:PATTERN:_default' \
'--source[Where to look; recent by default]:SOURCE:(visible recent recent-unwrapped detection)' \
'--lines[In how many of the latest lines]:N:_default' \
'--timeout[Give up after so many milliseconds; without it, never]:MS:_default' \
'--session[Mean a named session]:NAME:_default' \
'--raw[Match against the text with its escape sequences]' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(report-agent)
_arguments "${_arguments_options[@]}" : \
'--source[Who reports, by a name of its own (required)]:ID:_default' \
'--agent[Which agent (required)]:LABEL:_default' \
'--state[What it is doing (required)]:STATE:(idle working blocked unknown)' \
'--message[A word about it for the person]:TEXT:_default' \
'--seq[Grows with each report of a source; an older one is dropped]:N:_default' \
'--agent-session-id[The agent'\''s open session, by its id]:ID:_default' \
'--agent-session-path[The agent'\''s open session, by its file]:PATH:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane the agent runs in:_default' \
'*::resume -- The command that opens the session again:_default' \
&& ret=0
;;
(report-agent-session)
_arguments "${_arguments_options[@]}" : \
'--source[Who reports, by a name of its own (required)]:ID:_default' \
'--agent[Which agent (required)]:LABEL:_default' \
'--seq[Grows with each report of a source; an older one is dropped]:N:_default' \
'--agent-session-id[The agent'\''s open session, by its id]:ID:_default' \
'--agent-session-path[The agent'\''s open session, by its file]:PATH:_default' \
'--session-start-source[What opened the session\: startup, resume, clear, compact, branch, new, fork or select]:SOURCE:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane the agent runs in:_default' \
'*::resume -- The command that opens the session again:_default' \
&& ret=0
;;
(release-agent)
_arguments "${_arguments_options[@]}" : \
'--source[Who reported it (required)]:ID:_default' \
'--agent[Which agent (required)]:LABEL:_default' \
'--seq[Grows with each report of a source; an older one is dropped]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane the agent ran in:_default' \
&& ret=0
;;
(report-metadata)
_arguments "${_arguments_options[@]}" : \
'--source[Who reports (required)]:ID:_default' \
'--agent[Show it only while this is the pane'\''s agent]:LABEL:_default' \
'--applies-to-source[Show it only while this source speaks for the pane]:ID:_default' \
'--title[A title for the pane]:TEXT:_default' \
'--display-agent[A name to show instead of the agent'\''s]:TEXT:_default' \
'*--state-label[A word to show instead of a status; may be repeated]:STATUS=TEXT:_default' \
'*--token[Set a token; may be repeated]:NAME=VALUE:_default' \
'*--clear-token[Clear a token; may be repeated]:NAME:_default' \
'--seq[Grows with each report of a source; an older one is dropped]:N:_default' \
'--ttl-ms[Milliseconds until it expires]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'--clear-title[Take the title away]' \
'--clear-display-agent[Take that name away]' \
'--clear-state-labels[Take those words away]' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(agent)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__agent_commands" \
"*::: :->agent" \
&& ret=0

    case $state in
    (agent)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-agent-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(get)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
(read)
_arguments "${_arguments_options[@]}" : \
'--source[What to read; recent by default]:SOURCE:(visible recent recent-unwrapped detection)' \
'--lines[How many of the latest lines]:N:_default' \
'--format[How to write it; text by default]:FORMAT:(text ansi)' \
'--session[Mean a named session]:NAME:_default' \
'--ansi[The same as --format ansi]' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
(send-keys)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
'*::keys -- Keys such as Enter, ctrl+c, f5 or a:_default' \
&& ret=0
;;
(prompt)
_arguments "${_arguments_options[@]}" : \
'*--until[With --wait\: until this status; may be repeated \[default\: idle, done, blocked\]]:STATUS:(idle working blocked done unknown)' \
'--timeout[With --wait\: give up after so many milliseconds]:MS:_default' \
'--session[Mean a named session]:NAME:_default' \
'--wait[Wait for the outcome]' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
':text -- The prompt, as one word; it may begin with a dash:_default' \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
'--kind[Which agent]:KIND:_default' \
'--pane[A pane whose shell waits at its prompt]:ID:_default' \
'--timeout[Give up after so many milliseconds \[default\: 30000\]]:MS:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':name -- The name that the agent gets:_default' \
'*::args -- Arguments of the agent, after --:_default' \
&& ret=0
;;
(rename)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--clear[Take the name away]' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
'::name -- Its new name:_default' \
&& ret=0
;;
(focus)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
(attach)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--takeover[Take the place of other terminals that are attached to the pane]' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
(wait)
_arguments "${_arguments_options[@]}" : \
'*--until[Until this status; may be repeated \[default\: idle, done, blocked\]]:STATUS:(idle working blocked done unknown)' \
'--timeout[Give up after so many milliseconds; without it, never]:MS:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--file[Explain the screen in this file instead; needs no server]:PATH:_files' \
'--agent[With --file\: the agent whose screen it is]:LABEL:_default' \
'--format[How to write it; text by default]:FORMAT:(text json)' \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-v[Also say what every rule saw]' \
'--verbose[Also say what every rule saw]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- The agent'\''s name or its pane:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(terminal)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__terminal_commands" \
"*::: :->terminal" \
&& ret=0

    case $state in
    (terminal)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-terminal-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--takeover[Take the place of other terminals that are attached to the pane]' \
'-h[Print help]' \
'--help[Print help]' \
':terminal_id -- A terminal, a pane or an agent:_default' \
&& ret=0
;;
(session)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__terminal__subcmd__session_commands" \
"*::: :->session" \
&& ret=0

    case $state in
    (session)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-terminal-session-command-$line[1]:"
        case $line[1] in
            (observe)
_arguments "${_arguments_options[@]}" : \
'--cols[Columns of the viewer; 120 by default]:N:_default' \
'--rows[Rows of the viewer; 40 by default]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- A terminal, a pane or an agent:_default' \
&& ret=0
;;
(control)
_arguments "${_arguments_options[@]}" : \
'--cols[Columns of the viewer; 120 by default]:N:_default' \
'--rows[Rows of the viewer; 40 by default]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'--takeover[Take the place of another client that controls the pane]' \
'-h[Print help]' \
'--help[Print help]' \
':target -- A terminal, a pane or an agent:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(title)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__terminal__subcmd__title_commands" \
"*::: :->title" \
&& ret=0

    case $state in
    (title)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-terminal-title-command-$line[1]:"
        case $line[1] in
            (set)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':title -- The title:_default' \
&& ret=0
;;
(clear)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
;;
(notification)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__notification_commands" \
"*::: :->notification" \
&& ret=0

    case $state in
    (notification)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-notification-command-$line[1]:"
        case $line[1] in
            (show)
_arguments "${_arguments_options[@]}" : \
'--body[More text]:TEXT:_default' \
'--position[The corner it appears in]:CORNER:(top-left top-right bottom-left bottom-right)' \
'--sound[The sound it makes; none by default]:SOUND:(none done request)' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':title -- Its title:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(integration)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__integration_commands" \
"*::: :->integration" \
&& ret=0

    case $state in
    (integration)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-integration-command-$line[1]:"
        case $line[1] in
            (install)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- Which agent:_default' \
&& ret=0
;;
(uninstall)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':target -- Which agent:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--outdated-only[Only name what is to be done about hooks that are out of date]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(plugin)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__plugin_commands" \
"*::: :->plugin" \
&& ret=0

    case $state in
    (plugin)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-plugin-command-$line[1]:"
        case $line[1] in
            (install)
_arguments "${_arguments_options[@]}" : \
'--ref[A branch, a tag or a commit; by default what the repository shows first]:REF:_default' \
'--session[Mean a named session]:NAME:_default' \
'-y[Do not ask]' \
'--yes[Do not ask]' \
'-h[Print help]' \
'--help[Print help]' \
':source -- The repository on GitHub, and the folder of the plugin in it:_default' \
&& ret=0
;;
(uninstall)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':plugin -- The plugin, or the repository it was installed from:_default' \
&& ret=0
;;
(link)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--disabled[Let it run nothing yet]' \
'--enabled[Let it run, as without it]' \
'-h[Print help]' \
'--help[Print help]' \
':path -- The plugin'\''s manifest, or the folder it is in:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--plugin[Only this one]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'--json[Print JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(config-dir)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':plugin_id -- The plugin:_default' \
&& ret=0
;;
(unlink)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':plugin_id -- The plugin:_default' \
&& ret=0
;;
(enable)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':plugin_id -- The plugin:_default' \
&& ret=0
;;
(disable)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':plugin_id -- The plugin:_default' \
&& ret=0
;;
(action)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__plugin__subcmd__action_commands" \
"*::: :->action" \
&& ret=0

    case $state in
    (action)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-plugin-action-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--plugin[Only those of one plugin]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(invoke)
_arguments "${_arguments_options[@]}" : \
'--plugin[The plugin]:ID:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':action_id -- The action, with its plugin and a dot before it where it is not the only one of its name:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(log)
_arguments "${_arguments_options[@]}" : \
'--plugin[Only those of one plugin]:ID:_default' \
'--limit[How many at most, 1 to 200; by default 50]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__plugin__subcmd__log_commands" \
"*::: :->log" \
&& ret=0

    case $state in
    (log)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-plugin-log-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--plugin[Only those of one plugin]:ID:_default' \
'--limit[How many at most, 1 to 200; by default 50]:N:_default' \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(pane)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__plugin__subcmd__pane_commands" \
"*::: :->pane" \
&& ret=0

    case $state in
    (pane)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-plugin-pane-command-$line[1]:"
        case $line[1] in
            (open)
_arguments "${_arguments_options[@]}" : \
'--plugin[The plugin (required)]:ID:_default' \
'--entrypoint[The pane, as the plugin'\''s manifest calls it (required)]:ID:_default' \
'--placement[Where it opens, if not where the manifest says]:WHERE:_default' \
'--width[Width of a popup, in cells or as a share of the area]:SIZE:_default' \
'--height[Height of a popup]:SIZE:_default' \
'--workspace[The workspace of a new tab]:ID:_default' \
'--target-pane[The pane to split]:PANE:_default' \
'--direction[Which way to split it]:SIDE:(right down)' \
'--cwd[Where it starts; by default in the plugin'\''s folder]:PATH:_default' \
'*--env[Set a variable in the new pane; may be repeated]:KEY=VALUE:_default' \
'--session[Mean a named session]:NAME:_default' \
'--focus[Focus it]' \
'--no-focus[Leave the focus where it is]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(focus)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':pane_id -- The pane:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
;;
(api)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__api_commands" \
"*::: :->api" \
&& ret=0

    case $state in
    (api)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-api-command-$line[1]:"
        case $line[1] in
            (snapshot)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(schema)
_arguments "${_arguments_options[@]}" : \
'--output[Write it to a file]:PATH:_default' \
'--session[Mean a named session]:NAME:_default' \
'--json[Print the whole schema]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(config)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__config_commands" \
"*::: :->config" \
&& ret=0

    case $state in
    (config)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-config-command-$line[1]:"
        case $line[1] in
            (check)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(reset-keys)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
        esac
    ;;
esac
;;
(channel)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
":: :_herdr__subcmd__channel_commands" \
"*::: :->channel" \
&& ret=0

    case $state in
    (channel)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:herdr-channel-command-$line[1]:"
        case $line[1] in
            (show)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':channel -- The channel:_default' \
&& ret=0
;;
        esac
    ;;
esac
;;
(update)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'--handoff[Have the running server replaced by the new build]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(completion)
_arguments "${_arguments_options[@]}" : \
'--session[Mean a named session]:NAME:_default' \
'-h[Print help]' \
'--help[Print help]' \
':shell -- The shell\: bash, elvish, fish, powershell or zsh:_default' \
&& ret=0
;;
        esac
    ;;
esac
}

(( $+functions[_herdr_commands] )) ||
_herdr_commands() {
    local commands; commands=(
'status:Show this program and the running server' \
'server:Run, stop and inspect the server' \
'session:List, attach to, stop and delete named sessions' \
'machine:Other machines, over ssh' \
'workspace:Workspaces\: groups of tabs' \
'worktree:Checkouts of a git repository' \
'tab:Tabs\: groups of panes on one screen' \
'pane:Panes\: a terminal each' \
'agent:Agents\: the panes that have one' \
'terminal:Terminals\: watch and drive panes from elsewhere' \
'notification:Notifications for the person' \
'integration:Hooks through which agents tell how it stands with them' \
'plugin:Programs of others that act in a session' \
'api:The socket protocol' \
'config:The configuration file' \
'channel:Releases to update to' \
'update:Say how this program is updated' \
'completion:Print a completion script for a shell' \
    )
    _describe -t commands 'herdr commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent_commands] )) ||
_herdr__subcmd__agent_commands() {
    local commands; commands=(
'list:List the agents' \
'get:Show an agent' \
'read:Print text from an agent'\''s pane' \
'send-keys:Press keys in an agent'\''s pane' \
'prompt:Give an agent a prompt' \
'start:Start an agent in a pane and wait until it is ready' \
'rename:Give an agent a name, or take it away' \
'focus:Focus an agent'\''s pane' \
'attach:Attach this terminal to an agent'\''s pane; ctrl+b q detaches' \
'wait:Wait until an agent has one of the given statuses' \
'explain:Say how the state of an agent was found' \
    )
    _describe -t commands 'herdr agent commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__attach_commands] )) ||
_herdr__subcmd__agent__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent attach commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__explain_commands] )) ||
_herdr__subcmd__agent__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent explain commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__focus_commands] )) ||
_herdr__subcmd__agent__subcmd__focus_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent focus commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__get_commands] )) ||
_herdr__subcmd__agent__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent get commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__list_commands] )) ||
_herdr__subcmd__agent__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__prompt_commands] )) ||
_herdr__subcmd__agent__subcmd__prompt_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent prompt commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__read_commands] )) ||
_herdr__subcmd__agent__subcmd__read_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent read commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__rename_commands] )) ||
_herdr__subcmd__agent__subcmd__rename_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent rename commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__send-keys_commands] )) ||
_herdr__subcmd__agent__subcmd__send-keys_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent send-keys commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__start_commands] )) ||
_herdr__subcmd__agent__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent start commands' commands "$@"
}
(( $+functions[_herdr__subcmd__agent__subcmd__wait_commands] )) ||
_herdr__subcmd__agent__subcmd__wait_commands() {
    local commands; commands=()
    _describe -t commands 'herdr agent wait commands' commands "$@"
}
(( $+functions[_herdr__subcmd__api_commands] )) ||
_herdr__subcmd__api_commands() {
    local commands; commands=(
'snapshot:Print everything there is, once' \
'schema:Print the JSON Schema of the protocol' \
    )
    _describe -t commands 'herdr api commands' commands "$@"
}
(( $+functions[_herdr__subcmd__api__subcmd__schema_commands] )) ||
_herdr__subcmd__api__subcmd__schema_commands() {
    local commands; commands=()
    _describe -t commands 'herdr api schema commands' commands "$@"
}
(( $+functions[_herdr__subcmd__api__subcmd__snapshot_commands] )) ||
_herdr__subcmd__api__subcmd__snapshot_commands() {
    local commands; commands=()
    _describe -t commands 'herdr api snapshot commands' commands "$@"
}
(( $+functions[_herdr__subcmd__channel_commands] )) ||
_herdr__subcmd__channel_commands() {
    local commands; commands=(
'show:Print the update channel' \
'set:Say why there is nothing to choose' \
    )
    _describe -t commands 'herdr channel commands' commands "$@"
}
(( $+functions[_herdr__subcmd__channel__subcmd__set_commands] )) ||
_herdr__subcmd__channel__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'herdr channel set commands' commands "$@"
}
(( $+functions[_herdr__subcmd__channel__subcmd__show_commands] )) ||
_herdr__subcmd__channel__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'herdr channel show commands' commands "$@"
}
(( $+functions[_herdr__subcmd__completion_commands] )) ||
_herdr__subcmd__completion_commands() {
    local commands; commands=()
    _describe -t commands 'herdr completion commands' commands "$@"
}
(( $+functions[_herdr__subcmd__config_commands] )) ||
_herdr__subcmd__config_commands() {
    local commands; commands=(
'check:Check the configuration file' \
'reset-keys:Take key bindings out of the configuration file, and keep it as it was beside it' \
    )
    _describe -t commands 'herdr config commands' commands "$@"
}
(( $+functions[_herdr__subcmd__config__subcmd__check_commands] )) ||
_herdr__subcmd__config__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'herdr config check commands' commands "$@"
}
(( $+functions[_herdr__subcmd__config__subcmd__reset-keys_commands] )) ||
_herdr__subcmd__config__subcmd__reset-keys_commands() {
    local commands; commands=()
    _describe -t commands 'herdr config reset-keys commands' commands "$@"
}
(( $+functions[_herdr__subcmd__integration_commands] )) ||
_herdr__subcmd__integration_commands() {
    local commands; commands=(
'install:Put an agent'\''s hooks into its settings' \
'uninstall:Take an agent'\''s hooks out of its settings' \
'status:Show which agents have hooks, and of which version' \
'list:List the agents that hooks can be installed for, as the server sees them' \
    )
    _describe -t commands 'herdr integration commands' commands "$@"
}
(( $+functions[_herdr__subcmd__integration__subcmd__install_commands] )) ||
_herdr__subcmd__integration__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'herdr integration install commands' commands "$@"
}
(( $+functions[_herdr__subcmd__integration__subcmd__list_commands] )) ||
_herdr__subcmd__integration__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr integration list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__integration__subcmd__status_commands] )) ||
_herdr__subcmd__integration__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'herdr integration status commands' commands "$@"
}
(( $+functions[_herdr__subcmd__integration__subcmd__uninstall_commands] )) ||
_herdr__subcmd__integration__subcmd__uninstall_commands() {
    local commands; commands=()
    _describe -t commands 'herdr integration uninstall commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine_commands] )) ||
_herdr__subcmd__machine_commands() {
    local commands; commands=(
'list:List the saved machines' \
'status:See which of them can be reached, without asking anybody for a password' \
'reconnect:Connect to one from this terminal, where ssh may ask for what it needs' \
'add:Start the daemon on a machine and save the machine' \
'rename:Call a machine something else' \
'remove:Forget a machine' \
'enable:Let commands be sent to a machine' \
'disable:Have no commands sent to a machine' \
    )
    _describe -t commands 'herdr machine commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__add_commands] )) ||
_herdr__subcmd__machine__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine add commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__disable_commands] )) ||
_herdr__subcmd__machine__subcmd__disable_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine disable commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__enable_commands] )) ||
_herdr__subcmd__machine__subcmd__enable_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine enable commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__list_commands] )) ||
_herdr__subcmd__machine__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__reconnect_commands] )) ||
_herdr__subcmd__machine__subcmd__reconnect_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine reconnect commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__remove_commands] )) ||
_herdr__subcmd__machine__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine remove commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__rename_commands] )) ||
_herdr__subcmd__machine__subcmd__rename_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine rename commands' commands "$@"
}
(( $+functions[_herdr__subcmd__machine__subcmd__status_commands] )) ||
_herdr__subcmd__machine__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'herdr machine status commands' commands "$@"
}
(( $+functions[_herdr__subcmd__notification_commands] )) ||
_herdr__subcmd__notification_commands() {
    local commands; commands=(
'show:Show a notification' \
    )
    _describe -t commands 'herdr notification commands' commands "$@"
}
(( $+functions[_herdr__subcmd__notification__subcmd__show_commands] )) ||
_herdr__subcmd__notification__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'herdr notification show commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane_commands] )) ||
_herdr__subcmd__pane_commands() {
    local commands; commands=(
'list:List the panes of one workspace or of all' \
'current:Show the pane this command runs in, else the focused one' \
'get:Show a pane' \
'layout:Show where the panes of a tab lie' \
'process-info:Show what runs in a pane' \
'edges:Show which edges of its tab a pane touches' \
'neighbor:Show the pane next to another' \
'focus:Focus the pane next to another' \
'resize:Make a pane larger or smaller' \
'zoom:Let a pane fill its tab, or end that' \
'rename:Give a pane a name, or take it away' \
'input:Say who gets right clicks in a pane' \
'split:Split a pane and start a shell in the new half' \
'swap:Exchange the places of two panes' \
'move:Move a pane to another tab or workspace while its program runs on' \
'close:Close a pane; its program ends' \
'read:Print text from a pane' \
'send-text:Type text into a pane, without Enter' \
'send-keys:Press keys in a pane' \
'run:Type a command into a pane and press Enter' \
'wait-output:Wait until a pane shows a text' \
'report-agent:Report what the agent in a pane is doing' \
'report-agent-session:Report which session the agent in a pane has open' \
'release-agent:Report that the agent in a pane has left' \
'report-metadata:Set or clear what is shown about the agent in a pane' \
    )
    _describe -t commands 'herdr pane commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__close_commands] )) ||
_herdr__subcmd__pane__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane close commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__current_commands] )) ||
_herdr__subcmd__pane__subcmd__current_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane current commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__edges_commands] )) ||
_herdr__subcmd__pane__subcmd__edges_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane edges commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__focus_commands] )) ||
_herdr__subcmd__pane__subcmd__focus_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane focus commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__get_commands] )) ||
_herdr__subcmd__pane__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane get commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__input_commands] )) ||
_herdr__subcmd__pane__subcmd__input_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane input commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__layout_commands] )) ||
_herdr__subcmd__pane__subcmd__layout_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane layout commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__list_commands] )) ||
_herdr__subcmd__pane__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__move_commands] )) ||
_herdr__subcmd__pane__subcmd__move_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane move commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__neighbor_commands] )) ||
_herdr__subcmd__pane__subcmd__neighbor_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane neighbor commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__process-info_commands] )) ||
_herdr__subcmd__pane__subcmd__process-info_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane process-info commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__read_commands] )) ||
_herdr__subcmd__pane__subcmd__read_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane read commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__release-agent_commands] )) ||
_herdr__subcmd__pane__subcmd__release-agent_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane release-agent commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__rename_commands] )) ||
_herdr__subcmd__pane__subcmd__rename_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane rename commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__report-agent_commands] )) ||
_herdr__subcmd__pane__subcmd__report-agent_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane report-agent commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__report-agent-session_commands] )) ||
_herdr__subcmd__pane__subcmd__report-agent-session_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane report-agent-session commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__report-metadata_commands] )) ||
_herdr__subcmd__pane__subcmd__report-metadata_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane report-metadata commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__resize_commands] )) ||
_herdr__subcmd__pane__subcmd__resize_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane resize commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__run_commands] )) ||
_herdr__subcmd__pane__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane run commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__send-keys_commands] )) ||
_herdr__subcmd__pane__subcmd__send-keys_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane send-keys commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__send-text_commands] )) ||
_herdr__subcmd__pane__subcmd__send-text_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane send-text commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__split_commands] )) ||
_herdr__subcmd__pane__subcmd__split_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane split commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__swap_commands] )) ||
_herdr__subcmd__pane__subcmd__swap_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane swap commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__wait-output_commands] )) ||
_herdr__subcmd__pane__subcmd__wait-output_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane wait-output commands' commands "$@"
}
(( $+functions[_herdr__subcmd__pane__subcmd__zoom_commands] )) ||
_herdr__subcmd__pane__subcmd__zoom_commands() {
    local commands; commands=()
    _describe -t commands 'herdr pane zoom commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin_commands] )) ||
_herdr__subcmd__plugin_commands() {
    local commands; commands=(
'install:Fetch a plugin from GitHub, build it and let it run' \
'uninstall:Unlink a plugin and delete what was fetched of it' \
'link:Let a plugin run that is on this machine' \
'list:List the plugins of all sessions' \
'config-dir:Print the folder of a plugin'\''s settings, which is made if need be' \
'unlink:Take a plugin off the list; its files stay' \
'enable:Let a plugin run again' \
'disable:Let a plugin run nothing any more' \
'action:What plugins can do when asked' \
'log:What the commands of plugins did' \
'pane:Panes of plugins' \
    )
    _describe -t commands 'herdr plugin commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__action_commands] )) ||
_herdr__subcmd__plugin__subcmd__action_commands() {
    local commands; commands=(
'list:List the actions of plugins' \
'invoke:Start an action' \
    )
    _describe -t commands 'herdr plugin action commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__action__subcmd__invoke_commands] )) ||
_herdr__subcmd__plugin__subcmd__action__subcmd__invoke_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin action invoke commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__action__subcmd__list_commands] )) ||
_herdr__subcmd__plugin__subcmd__action__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin action list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__config-dir_commands] )) ||
_herdr__subcmd__plugin__subcmd__config-dir_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin config-dir commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__disable_commands] )) ||
_herdr__subcmd__plugin__subcmd__disable_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin disable commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__enable_commands] )) ||
_herdr__subcmd__plugin__subcmd__enable_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin enable commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__install_commands] )) ||
_herdr__subcmd__plugin__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin install commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__link_commands] )) ||
_herdr__subcmd__plugin__subcmd__link_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin link commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__list_commands] )) ||
_herdr__subcmd__plugin__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__log_commands] )) ||
_herdr__subcmd__plugin__subcmd__log_commands() {
    local commands; commands=(
'list:List the latest commands of plugins, the newest last' \
    )
    _describe -t commands 'herdr plugin log commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__log__subcmd__list_commands] )) ||
_herdr__subcmd__plugin__subcmd__log__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin log list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__pane_commands] )) ||
_herdr__subcmd__plugin__subcmd__pane_commands() {
    local commands; commands=(
'open:Open a pane of a plugin' \
'focus:Focus a pane that a plugin opened' \
'close:Close a pane that a plugin opened' \
    )
    _describe -t commands 'herdr plugin pane commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__pane__subcmd__close_commands] )) ||
_herdr__subcmd__plugin__subcmd__pane__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin pane close commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__pane__subcmd__focus_commands] )) ||
_herdr__subcmd__plugin__subcmd__pane__subcmd__focus_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin pane focus commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__pane__subcmd__open_commands] )) ||
_herdr__subcmd__plugin__subcmd__pane__subcmd__open_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin pane open commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__uninstall_commands] )) ||
_herdr__subcmd__plugin__subcmd__uninstall_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin uninstall commands' commands "$@"
}
(( $+functions[_herdr__subcmd__plugin__subcmd__unlink_commands] )) ||
_herdr__subcmd__plugin__subcmd__unlink_commands() {
    local commands; commands=()
    _describe -t commands 'herdr plugin unlink commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server_commands] )) ||
_herdr__subcmd__server_commands() {
    local commands; commands=(
'stop:Stop the running server; its panes end' \
'live-handoff:Replace the running server by another executable; its panes live on' \
'reload-config:Have the running server read its configuration again' \
'agent-manifests:Show where the agent detection rules come from' \
'update-agent-manifests:Download newer agent detection rules and have the running server use them' \
'reload-agent-manifests:Have the running server read the agent detection rules again' \
    )
    _describe -t commands 'herdr server commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__agent-manifests_commands] )) ||
_herdr__subcmd__server__subcmd__agent-manifests_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server agent-manifests commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__live-handoff_commands] )) ||
_herdr__subcmd__server__subcmd__live-handoff_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server live-handoff commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__reload-agent-manifests_commands] )) ||
_herdr__subcmd__server__subcmd__reload-agent-manifests_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server reload-agent-manifests commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__reload-config_commands] )) ||
_herdr__subcmd__server__subcmd__reload-config_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server reload-config commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__stop_commands] )) ||
_herdr__subcmd__server__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server stop commands' commands "$@"
}
(( $+functions[_herdr__subcmd__server__subcmd__update-agent-manifests_commands] )) ||
_herdr__subcmd__server__subcmd__update-agent-manifests_commands() {
    local commands; commands=()
    _describe -t commands 'herdr server update-agent-manifests commands' commands "$@"
}
(( $+functions[_herdr__subcmd__session_commands] )) ||
_herdr__subcmd__session_commands() {
    local commands; commands=(
'list:List the sessions' \
'attach:Attach to a session in this terminal' \
'stop:Stop the server of a session; its panes end' \
'delete:Delete the files of a stopped session' \
    )
    _describe -t commands 'herdr session commands' commands "$@"
}
(( $+functions[_herdr__subcmd__session__subcmd__attach_commands] )) ||
_herdr__subcmd__session__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'herdr session attach commands' commands "$@"
}
(( $+functions[_herdr__subcmd__session__subcmd__delete_commands] )) ||
_herdr__subcmd__session__subcmd__delete_commands() {
    local commands; commands=()
    _describe -t commands 'herdr session delete commands' commands "$@"
}
(( $+functions[_herdr__subcmd__session__subcmd__list_commands] )) ||
_herdr__subcmd__session__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr session list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__session__subcmd__stop_commands] )) ||
_herdr__subcmd__session__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'herdr session stop commands' commands "$@"
}
(( $+functions[_herdr__subcmd__status_commands] )) ||
_herdr__subcmd__status_commands() {
    local commands; commands=(
'server:Show the running server' \
'client:Show this program' \
    )
    _describe -t commands 'herdr status commands' commands "$@"
}
(( $+functions[_herdr__subcmd__status__subcmd__client_commands] )) ||
_herdr__subcmd__status__subcmd__client_commands() {
    local commands; commands=()
    _describe -t commands 'herdr status client commands' commands "$@"
}
(( $+functions[_herdr__subcmd__status__subcmd__server_commands] )) ||
_herdr__subcmd__status__subcmd__server_commands() {
    local commands; commands=()
    _describe -t commands 'herdr status server commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab_commands] )) ||
_herdr__subcmd__tab_commands() {
    local commands; commands=(
'list:List the tabs of one workspace or of all' \
'create:Open a tab with one pane' \
'get:Show a tab' \
'focus:Make a tab the active one' \
'rename:Give a tab a name' \
'close:Close a tab; its panes end' \
    )
    _describe -t commands 'herdr tab commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__close_commands] )) ||
_herdr__subcmd__tab__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab close commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__create_commands] )) ||
_herdr__subcmd__tab__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab create commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__focus_commands] )) ||
_herdr__subcmd__tab__subcmd__focus_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab focus commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__get_commands] )) ||
_herdr__subcmd__tab__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab get commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__list_commands] )) ||
_herdr__subcmd__tab__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__tab__subcmd__rename_commands] )) ||
_herdr__subcmd__tab__subcmd__rename_commands() {
    local commands; commands=()
    _describe -t commands 'herdr tab rename commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal_commands] )) ||
_herdr__subcmd__terminal_commands() {
    local commands; commands=(
'attach:Attach this terminal to a pane; ctrl+b q detaches' \
'session:Panes as streams of JSON lines' \
'title:The title of the window that shows herdr' \
    )
    _describe -t commands 'herdr terminal commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__attach_commands] )) ||
_herdr__subcmd__terminal__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'herdr terminal attach commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__session_commands] )) ||
_herdr__subcmd__terminal__subcmd__session_commands() {
    local commands; commands=(
'observe:Print what a pane shows, frame by frame' \
'control:The same, and take commands for the pane from standard input' \
    )
    _describe -t commands 'herdr terminal session commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__session__subcmd__control_commands] )) ||
_herdr__subcmd__terminal__subcmd__session__subcmd__control_commands() {
    local commands; commands=()
    _describe -t commands 'herdr terminal session control commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__session__subcmd__observe_commands] )) ||
_herdr__subcmd__terminal__subcmd__session__subcmd__observe_commands() {
    local commands; commands=()
    _describe -t commands 'herdr terminal session observe commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__title_commands] )) ||
_herdr__subcmd__terminal__subcmd__title_commands() {
    local commands; commands=(
'set:Give the window a title' \
'clear:Give the window its own title back' \
    )
    _describe -t commands 'herdr terminal title commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__title__subcmd__clear_commands] )) ||
_herdr__subcmd__terminal__subcmd__title__subcmd__clear_commands() {
    local commands; commands=()
    _describe -t commands 'herdr terminal title clear commands' commands "$@"
}
(( $+functions[_herdr__subcmd__terminal__subcmd__title__subcmd__set_commands] )) ||
_herdr__subcmd__terminal__subcmd__title__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'herdr terminal title set commands' commands "$@"
}
(( $+functions[_herdr__subcmd__update_commands] )) ||
_herdr__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'herdr update commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace_commands] )) ||
_herdr__subcmd__workspace_commands() {
    local commands; commands=(
'list:List the workspaces' \
'create:Open a workspace with one tab and one pane' \
'get:Show a workspace' \
'focus:Make a workspace the active one' \
'rename:Give a workspace a name' \
'report-metadata:Set or clear metadata tokens of a workspace' \
'close:Close a workspace; its panes end' \
    )
    _describe -t commands 'herdr workspace commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__close_commands] )) ||
_herdr__subcmd__workspace__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace close commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__create_commands] )) ||
_herdr__subcmd__workspace__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace create commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__focus_commands] )) ||
_herdr__subcmd__workspace__subcmd__focus_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace focus commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__get_commands] )) ||
_herdr__subcmd__workspace__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace get commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__list_commands] )) ||
_herdr__subcmd__workspace__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__rename_commands] )) ||
_herdr__subcmd__workspace__subcmd__rename_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace rename commands' commands "$@"
}
(( $+functions[_herdr__subcmd__workspace__subcmd__report-metadata_commands] )) ||
_herdr__subcmd__workspace__subcmd__report-metadata_commands() {
    local commands; commands=()
    _describe -t commands 'herdr workspace report-metadata commands' commands "$@"
}
(( $+functions[_herdr__subcmd__worktree_commands] )) ||
_herdr__subcmd__worktree_commands() {
    local commands; commands=(
'list:List the checkouts of a repository' \
'create:Make a checkout and open a workspace in it' \
'open:Open a workspace in a checkout' \
'remove:Remove a checkout and close its workspace; the branch stays' \
    )
    _describe -t commands 'herdr worktree commands' commands "$@"
}
(( $+functions[_herdr__subcmd__worktree__subcmd__create_commands] )) ||
_herdr__subcmd__worktree__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'herdr worktree create commands' commands "$@"
}
(( $+functions[_herdr__subcmd__worktree__subcmd__list_commands] )) ||
_herdr__subcmd__worktree__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'herdr worktree list commands' commands "$@"
}
(( $+functions[_herdr__subcmd__worktree__subcmd__open_commands] )) ||
_herdr__subcmd__worktree__subcmd__open_commands() {
    local commands; commands=()
    _describe -t commands 'herdr worktree open commands' commands "$@"
}
(( $+functions[_herdr__subcmd__worktree__subcmd__remove_commands] )) ||
_herdr__subcmd__worktree__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'herdr worktree remove commands' commands "$@"
}

if [ "$funcstack[1]" = "_herdr" ]; then
    _herdr "$@"
else
    compdef _herdr herdr
fi
