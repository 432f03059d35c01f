# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_drover_global_optspecs
    string join \n session= h/help
end

function __fish_drover_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_drover_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_drover_using_subcommand
    set -l cmd (__fish_drover_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c drover -n "__fish_drover_needs_command" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_needs_command" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_needs_command" -f -a "up" -d 'Start the daemon if it is not running, with a workspace to begin with'
complete -c drover -n "__fish_drover_needs_command" -f -a "ps" -d 'Show the panes and their agents'
complete -c drover -n "__fish_drover_needs_command" -f -a "top" -d 'Show the agents live, most urgent first, and answer them'
complete -c drover -n "__fish_drover_needs_command" -f -a "attach" -d 'Show and drive a pane in this terminal; ctrl+b q detaches'
complete -c drover -n "__fish_drover_needs_command" -f -a "down" -d 'Stop the daemon; its panes end'
complete -c drover -n "__fish_drover_needs_command" -f -a "grants" -d 'Say what panes may do to others'
complete -c drover -n "__fish_drover_needs_command" -f -a "log" -d 'Show what agents did and when, what was refused, and what panes did to others'
complete -c drover -n "__fish_drover_needs_command" -f -a "turns" -d 'Show xcsh\'s turns, or cancel one'
complete -c drover -n "__fish_drover_needs_command" -f -a "stats" -d 'Show how long agents worked, waited for somebody and were idle, by day'
complete -c drover -n "__fish_drover_needs_command" -f -a "notify" -d 'Be told what agents do'
complete -c drover -n "__fish_drover_needs_command" -f -a "doctor" -d 'Look for what is wrong, and say what to do about it'
complete -c drover -n "__fish_drover_needs_command" -f -a "serve" -d 'Run the daemon in the foreground'
complete -c drover -n "__fish_drover_needs_command" -f -a "upgrade" -d 'Let another build of drover take over; its panes live on'
complete -c drover -n "__fish_drover_needs_command" -f -a "herdr" -d 'Do what the same words after the name herdr do'
complete -c drover -n "__fish_drover_needs_command" -f -a "links" -d 'Make links by the names drover and herdr'
complete -c drover -n "__fish_drover_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c drover -n "__fish_drover_needs_command" -f -a "man" -d 'Print drover\'s manual page, or write all pages to a directory'
complete -c drover -n "__fish_drover_using_subcommand up" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand up" -l at-herdr -d 'Also put a link to the protocol socket where herdr has its own, for tools that look only there'
complete -c drover -n "__fish_drover_using_subcommand up" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand ps" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand ps" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand ps" -l watch -d 'Print a line each time an agent comes, changes its status or goes'
complete -c drover -n "__fish_drover_using_subcommand ps" -l all -d 'Print every pane, also while a view of the agents is set'
complete -c drover -n "__fish_drover_using_subcommand ps" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand top" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand top" -l no-colour -d 'No colours, as with NO_COLOR in the environment'
complete -c drover -n "__fish_drover_using_subcommand top" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand attach" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand attach" -l takeover -d 'Take the place of other terminals that are attached to it'
complete -c drover -n "__fish_drover_using_subcommand attach" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand down" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand down" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand grants; and not __fish_seen_subcommand_from list set explain" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand grants; and not __fish_seen_subcommand_from list set explain" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand grants; and not __fish_seen_subcommand_from list set explain" -f -a "list" -d 'Show what every pane holds, and what holds by default'
complete -c drover -n "__fish_drover_using_subcommand grants; and not __fish_seen_subcommand_from list set explain" -f -a "set" -d 'Give a pane grants, or change what holds by default'
complete -c drover -n "__fish_drover_using_subcommand grants; and not __fish_seen_subcommand_from list set explain" -f -a "explain" -d 'Say what a pane may do, and whether a method would be let through'
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from set" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from explain" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from explain" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand grants; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand log" -l kind -d 'Only these records: state (agents\' states) or access (what was refused and what panes did to others)' -r -f -a "state\t''
access\t''"
complete -c drover -n "__fish_drover_using_subcommand log" -l agent -d 'Only what is about this agent: its label, its name or its pane' -r
complete -c drover -n "__fish_drover_using_subcommand log" -l since -d 'Only from then on: 90s, 15m, 2h or 3d ago, today, yesterday, or a date such as 2026-11-30' -r
complete -c drover -n "__fish_drover_using_subcommand log" -l limit -d 'Only the latest so many' -r
complete -c drover -n "__fish_drover_using_subcommand log" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand log" -l follow -d 'Go on and print what comes'
complete -c drover -n "__fish_drover_using_subcommand log" -l json -d 'Print JSON, one record a line'
complete -c drover -n "__fish_drover_using_subcommand log" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand turns" -l limit -d 'Only the latest so many' -r
complete -c drover -n "__fish_drover_using_subcommand turns" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand turns" -l follow -d 'Go on and print what changes'
complete -c drover -n "__fish_drover_using_subcommand turns" -l json -d 'Print JSON; with --follow, a turn a line'
complete -c drover -n "__fish_drover_using_subcommand turns" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand stats" -l agent -d 'Only this agent: its label, its name or its pane' -r
complete -c drover -n "__fish_drover_using_subcommand stats" -l since -d 'Only from then on: 2h or 3d ago, today, yesterday, or a date such as 2026-11-30; by default the last seven days, and for a picture today' -r
complete -c drover -n "__fish_drover_using_subcommand stats" -l svg -d 'Write a picture of each day\'s timeline to a file' -r -F
complete -c drover -n "__fish_drover_using_subcommand stats" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand stats" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand stats" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand notify; and not __fish_seen_subcommand_from test mute unmute" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand notify; and not __fish_seen_subcommand_from test mute unmute" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand notify; and not __fish_seen_subcommand_from test mute unmute" -f -a "test" -d 'Send a message through each sink, and say what became of it'
complete -c drover -n "__fish_drover_using_subcommand notify; and not __fish_seen_subcommand_from test mute unmute" -f -a "mute" -d 'Tell nobody what the agent in a pane does'
complete -c drover -n "__fish_drover_using_subcommand notify; and not __fish_seen_subcommand_from test mute unmute" -f -a "unmute" -d 'Tell of it again'
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from test" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from test" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from mute" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from mute" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from unmute" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand notify; and __fish_seen_subcommand_from unmute" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand doctor" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand doctor" -l json -d 'Print JSON'
complete -c drover -n "__fish_drover_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand serve" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand serve" -l at-herdr -d 'Also put a link to the protocol socket where herdr has its own, for tools that look only there'
complete -c drover -n "__fish_drover_using_subcommand serve" -l fresh -d 'Keep the saved session aside and begin with an empty one'
complete -c drover -n "__fish_drover_using_subcommand serve" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand upgrade" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand upgrade" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand herdr" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand herdr" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand links" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand links" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand completions" -l name -d 'For which of the program\'s names' -r
complete -c drover -n "__fish_drover_using_subcommand completions" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand completions" -s h -l help -d 'Print help'
complete -c drover -n "__fish_drover_using_subcommand man" -l out -d 'Write every page to this directory instead' -r
complete -c drover -n "__fish_drover_using_subcommand man" -l session -d 'Mean a named session' -r
complete -c drover -n "__fish_drover_using_subcommand man" -s h -l help -d 'Print help'
