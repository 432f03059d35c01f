# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_herdr_global_optspecs
    string join \n session= h/help
end

function __fish_herdr_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_herdr_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_herdr_using_subcommand
    set -l cmd (__fish_herdr_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c herdr -n "__fish_herdr_needs_command" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_needs_command" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "status" -d 'Show this program and the running server'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "server" -d 'Run, stop and inspect the server'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "session" -d 'List, attach to, stop and delete named sessions'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "machine" -d 'Other machines, over ssh'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "workspace" -d 'Workspaces: groups of tabs'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "worktree" -d 'Checkouts of a git repository'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "tab" -d 'Tabs: groups of panes on one screen'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "pane" -d 'Panes: a terminal each'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "agent" -d 'Agents: the panes that have one'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "terminal" -d 'Terminals: watch and drive panes from elsewhere'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "notification" -d 'Notifications for the person'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "integration" -d 'Hooks through which agents tell how it stands with them'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "plugin" -d 'Programs of others that act in a session'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "api" -d 'The socket protocol'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "config" -d 'The configuration file'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "channel" -d 'Releases to update to'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "update" -d 'Say how this program is updated'
complete -c herdr -n "__fish_herdr_needs_command" -f -a "completion" -d 'Print a completion script for a shell'
complete -c herdr -n "__fish_herdr_using_subcommand status; and not __fish_seen_subcommand_from server client" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand status; and not __fish_seen_subcommand_from server client" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand status; and not __fish_seen_subcommand_from server client" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand status; and not __fish_seen_subcommand_from server client" -f -a "server" -d 'Show the running server'
complete -c herdr -n "__fish_herdr_using_subcommand status; and not __fish_seen_subcommand_from server client" -f -a "client" -d 'Show this program'
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from server" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from server" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from server" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from client" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from client" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand status; and __fish_seen_subcommand_from client" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "stop" -d 'Stop the running server; its panes end'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "live-handoff" -d 'Replace the running server by another executable; its panes live on'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "reload-config" -d 'Have the running server read its configuration again'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "agent-manifests" -d 'Show where the agent detection rules come from'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "update-agent-manifests" -d 'Download newer agent detection rules and have the running server use them'
complete -c herdr -n "__fish_herdr_using_subcommand server; and not __fish_seen_subcommand_from stop live-handoff reload-config agent-manifests update-agent-manifests reload-agent-manifests" -f -a "reload-agent-manifests" -d 'Have the running server read the agent detection rules again'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from stop" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from live-handoff" -l import-exe -d 'The executable that takes over; by default the one that is installed where the server\'s was' -r -F
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from live-handoff" -l expected-protocol -d 'The protocol that it has to speak' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from live-handoff" -l expected-version -d 'The version that it has to have' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from live-handoff" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from live-handoff" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from reload-config" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from reload-config" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from agent-manifests" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from agent-manifests" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from agent-manifests" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from update-agent-manifests" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from update-agent-manifests" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from update-agent-manifests" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from reload-agent-manifests" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand server; and __fish_seen_subcommand_from reload-agent-manifests" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -f -a "list" -d 'List the sessions'
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -f -a "attach" -d 'Attach to a session in this terminal'
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -f -a "stop" -d 'Stop the server of a session; its panes end'
complete -c herdr -n "__fish_herdr_using_subcommand session; and not __fish_seen_subcommand_from list attach stop delete" -f -a "delete" -d 'Delete the files of a stopped session'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from attach" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from attach" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from stop" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from stop" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from delete" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from delete" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand session; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "list" -d 'List the saved machines'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "status" -d 'See which of them can be reached, without asking anybody for a password'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "reconnect" -d 'Connect to one from this terminal, where ssh may ask for what it needs'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "add" -d 'Start the daemon on a machine and save the machine'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "rename" -d 'Call a machine something else'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "remove" -d 'Forget a machine'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "enable" -d 'Let commands be sent to a machine'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and not __fish_seen_subcommand_from list status reconnect add rename remove enable disable" -f -a "disable" -d 'Have no commands sent to a machine'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from status" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from reconnect" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from reconnect" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from add" -l label -d 'What to call it; by default its host' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from add" -l remote-session -d 'The session there; by default the default session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from add" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from rename" -l label -d 'What to call it (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from rename" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from remove" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from enable" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from enable" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from disable" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand machine; and __fish_seen_subcommand_from disable" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "list" -d 'List the workspaces'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "create" -d 'Open a workspace with one tab and one pane'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "get" -d 'Show a workspace'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "focus" -d 'Make a workspace the active one'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "rename" -d 'Give a workspace a name'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "report-metadata" -d 'Set or clear metadata tokens of a workspace'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and not __fish_seen_subcommand_from list create get focus rename report-metadata close" -f -a "close" -d 'Close a workspace; its panes end'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l cwd -d 'Where its first pane starts' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l label -d 'Its name' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l env -d 'Set a variable in the new pane; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l grants -d 'What the new pane may do to others: words between blanks, or none; by default what is configured' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from get" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from focus" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from focus" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from rename" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l source -d 'Who reports (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l token -d 'Set a token; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l clear-token -d 'Clear a token; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l seq -d 'Grows with each report of a source; an older one is dropped' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l ttl-ms -d 'Milliseconds until it expires' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from report-metadata" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from close" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from close" -l group -d 'Also close the workspaces of its linked worktrees'
complete -c herdr -n "__fish_herdr_using_subcommand workspace; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -f -a "list" -d 'List the checkouts of a repository'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -f -a "create" -d 'Make a checkout and open a workspace in it'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -f -a "open" -d 'Open a workspace in a checkout'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and not __fish_seen_subcommand_from list create open remove" -f -a "remove" -d 'Remove a checkout and close its workspace; the branch stays'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from list" -l workspace -d 'A workspace in it; by default the active one' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from list" -l cwd -d 'A directory in it' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from list" -l trust-repository -d 'Take a repository that belongs to another user'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l workspace -d 'A workspace in it; by default the active one' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l cwd -d 'A directory in it' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l branch -d 'The branch, which need not exist; by default one with a made-up name' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l base -d 'What a new branch starts from' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l path -d 'Where to check it out' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l label -d 'The workspace\'s name' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l trust-repository -d 'Take a repository that belongs to another user'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l workspace -d 'A workspace in it; by default the active one' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l cwd -d 'A directory in it' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l path -d 'The checkout\'s directory' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l branch -d 'The branch that is checked out in it' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l label -d 'The workspace\'s name' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l trust-repository -d 'Take a repository that belongs to another user'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from open" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from remove" -l workspace -d 'The checkout\'s workspace (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from remove" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from remove" -l force -d 'Also if work in it is lost; its programs are ended first'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from remove" -l trust-repository -d 'Take a repository that belongs to another user'
complete -c herdr -n "__fish_herdr_using_subcommand worktree; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "list" -d 'List the tabs of one workspace or of all'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "create" -d 'Open a tab with one pane'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "get" -d 'Show a tab'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "focus" -d 'Make a tab the active one'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "rename" -d 'Give a tab a name'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and not __fish_seen_subcommand_from list create get focus rename close" -f -a "close" -d 'Close a tab; its panes end'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from list" -l workspace -d 'Only this workspace\'s' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l workspace -d 'The workspace it belongs to; the active one by default' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l cwd -d 'Where its pane starts' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l label -d 'Its name' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l env -d 'Set a variable in the new pane; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l grants -d 'What the new pane may do to others: words between blanks, or none; by default what is configured' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from get" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from focus" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from focus" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from rename" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from close" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand tab; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "list" -d 'List the panes of one workspace or of all'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "current" -d 'Show the pane this command runs in, else the focused one'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "get" -d 'Show a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "layout" -d 'Show where the panes of a tab lie'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "process-info" -d 'Show what runs in a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "edges" -d 'Show which edges of its tab a pane touches'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "neighbor" -d 'Show the pane next to another'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "focus" -d 'Focus the pane next to another'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "resize" -d 'Make a pane larger or smaller'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "zoom" -d 'Let a pane fill its tab, or end that'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "rename" -d 'Give a pane a name, or take it away'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "input" -d 'Say who gets right clicks in a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "split" -d 'Split a pane and start a shell in the new half'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "swap" -d 'Exchange the places of two panes'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "move" -d 'Move a pane to another tab or workspace while its program runs on'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "close" -d 'Close a pane; its program ends'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "read" -d 'Print text from a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "send-text" -d 'Type text into a pane, without Enter'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "send-keys" -d 'Press keys in a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "run" -d 'Type a command into a pane and press Enter'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "wait-output" -d 'Wait until a pane shows a text'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "report-agent" -d 'Report what the agent in a pane is doing'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "report-agent-session" -d 'Report which session the agent in a pane has open'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "release-agent" -d 'Report that the agent in a pane has left'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and not __fish_seen_subcommand_from list current get layout process-info edges neighbor focus resize zoom rename input split swap move close read send-text send-keys run wait-output report-agent report-agent-session release-agent report-metadata" -f -a "report-metadata" -d 'Set or clear what is shown about the agent in a pane'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from list" -l workspace -d 'Only this workspace\'s' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from current" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from current" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from current" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from current" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from get" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from layout" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from layout" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from layout" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from layout" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from process-info" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from process-info" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from process-info" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from process-info" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from edges" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from edges" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from edges" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from edges" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from neighbor" -l direction -d 'On which side' -r -f -a "left\t''
right\t''
up\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from neighbor" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from neighbor" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from neighbor" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from neighbor" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from focus" -l direction -d 'On which side' -r -f -a "left\t''
right\t''
up\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from focus" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from focus" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from focus" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from focus" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -l direction -d 'Which way its edge moves' -r -f -a "left\t''
right\t''
up\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -l amount -d 'By which share of the split' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from resize" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l toggle -d 'Change over; the default'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l on -d 'Zoom'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -l off -d 'Unzoom'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from zoom" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from rename" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from rename" -l clear -d 'Take the name away'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from input" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from input" -l right-click -d 'Who gets right clicks: herdr with its menu, or the program in the pane' -r -f -a "herdr\t''
pane\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from input" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from input" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from input" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l direction -d 'Where the new pane goes' -r -f -a "right\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l ratio -d 'The share that the split pane keeps' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l cwd -d 'Where the new pane starts' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l env -d 'Set a variable in the new pane; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l grants -d 'What the new pane may do to others: words between blanks, or none; by default what is configured' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l right-click -d 'Who gets right clicks in the new pane; herdr by default' -r -f -a "herdr\t''
pane\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from split" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l direction -d 'With the neighbour on this side' -r -f -a "left\t''
right\t''
up\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l pane -d 'The pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l source-pane -d 'One of two named panes' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l target-pane -d 'The other' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -l current -d 'The pane this command runs in'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from swap" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l tab -d 'Into this tab' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l split -d 'With --tab: on which side of a pane there' -r -f -a "right\t''
down\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l target-pane -d 'With --tab: which pane there; its focused one by default' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l ratio -d 'With --tab: the share that pane keeps' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l workspace -d 'With --new-tab: in which workspace' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l label -d 'The name of the new tab or workspace' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l tab-label -d 'With --new-workspace: the name of its tab' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l new-tab -d 'Into a tab of its own'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l new-workspace -d 'Into a workspace of its own'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l focus -d 'Focus it'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -l no-focus -d 'Leave the focus where it is'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from move" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from close" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l source -d 'What to read; recent by default' -r -f -a "visible\t''
recent\t''
recent-unwrapped\t''
detection\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l lines -d 'How many of the latest lines' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l format -d 'How to write it; text by default' -r -f -a "text\t''
ansi\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l ansi -d 'The same as --format ansi'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -l raw -d 'With every escape sequence as it is'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from send-text" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from send-text" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from send-keys" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from send-keys" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from run" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l match -d 'Wait for this text, anywhere in a line' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l regex -d 'Wait for a line that this regular expression matches' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l source -d 'Where to look; recent by default' -r -f -a "visible\t''
recent\t''
recent-unwrapped\t''
detection\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l lines -d 'In how many of the latest lines' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l timeout -d 'Give up after so many milliseconds; without it, never' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -l raw -d 'Match against the text with its escape sequences'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from wait-output" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l source -d 'Who reports, by a name of its own (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l agent -d 'Which agent (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l state -d 'What it is doing (required)' -r -f -a "idle\t''
working\t''
blocked\t''
unknown\t''"
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l message -d 'A word about it for the person' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l seq -d 'Grows with each report of a source; an older one is dropped' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l agent-session-id -d 'The agent\'s open session, by its id' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l agent-session-path -d 'The agent\'s open session, by its file' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l source -d 'Who reports, by a name of its own (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l agent -d 'Which agent (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l seq -d 'Grows with each report of a source; an older one is dropped' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l agent-session-id -d 'The agent\'s open session, by its id' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l agent-session-path -d 'The agent\'s open session, by its file' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l session-start-source -d 'What opened the session: startup, resume, clear, compact, branch, new, fork or select' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-agent-session" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from release-agent" -l source -d 'Who reported it (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from release-agent" -l agent -d 'Which agent (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from release-agent" -l seq -d 'Grows with each report of a source; an older one is dropped' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from release-agent" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from release-agent" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l source -d 'Who reports (required)' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l agent -d 'Show it only while this is the pane\'s agent' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l applies-to-source -d 'Show it only while this source speaks for the pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l title -d 'A title for the pane' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l display-agent -d 'A name to show instead of the agent\'s' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l state-label -d 'A word to show instead of a status; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l token -d 'Set a token; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l clear-token -d 'Clear a token; may be repeated' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l seq -d 'Grows with each report of a source; an older one is dropped' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l ttl-ms -d 'Milliseconds until it expires' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l clear-title -d 'Take the title away'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l clear-display-agent -d 'Take that name away'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -l clear-state-labels -d 'Take those words away'
complete -c herdr -n "__fish_herdr_using_subcommand pane; and __fish_seen_subcommand_from report-metadata" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "list" -d 'List the agents'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "get" -d 'Show an agent'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "read" -d 'Print text from an agent\'s pane'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "send-keys" -d 'Press keys in an agent\'s pane'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "prompt" -d 'Give an agent a prompt'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "start" -d 'Start an agent in a pane and wait until it is ready'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "rename" -d 'Give an agent a name, or take it away'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "focus" -d 'Focus an agent\'s pane'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "attach" -d 'Attach this terminal to an agent\'s pane; ctrl+b q detaches'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "wait" -d 'Wait until an agent has one of the given statuses'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and not __fish_seen_subcommand_from list get read send-keys prompt start rename focus attach wait explain" -f -a "explain" -d 'Say how the state of an agent was found'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from get" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -l source -d 'What to read; recent by default' -r -f -a "visible\t''
recent\t''
recent-unwrapped\t''
detection\t''"
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -l lines -d 'How many of the latest lines' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -l format -d 'How to write it; text by default' -r -f -a "text\t''
ansi\t''"
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -l ansi -d 'The same as --format ansi'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from send-keys" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from send-keys" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from prompt" -l until -d 'With --wait: until this status; may be repeated [default: idle, done, blocked]' -r -f -a "idle\t''
working\t''
blocked\t''
done\t''
unknown\t''"
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from prompt" -l timeout -d 'With --wait: give up after so many milliseconds' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from prompt" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from prompt" -l wait -d 'Wait for the outcome'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from prompt" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from start" -l kind -d 'Which agent' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from start" -l pane -d 'A pane whose shell waits at its prompt' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from start" -l timeout -d 'Give up after so many milliseconds [default: 30000]' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from start" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from rename" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from rename" -l clear -d 'Take the name away'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from focus" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from focus" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from attach" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from attach" -l takeover -d 'Take the place of other terminals that are attached to the pane'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from attach" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from wait" -l until -d 'Until this status; may be repeated [default: idle, done, blocked]' -r -f -a "idle\t''
working\t''
blocked\t''
done\t''
unknown\t''"
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from wait" -l timeout -d 'Give up after so many milliseconds; without it, never' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from wait" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from wait" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -l file -d 'Explain the screen in this file instead; needs no server' -r -F
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -l agent -d 'With --file: the agent whose screen it is' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -l format -d 'How to write it; text by default' -r -f -a "text\t''
json\t''"
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -s v -l verbose -d 'Also say what every rule saw'
complete -c herdr -n "__fish_herdr_using_subcommand agent; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and not __fish_seen_subcommand_from attach session title" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and not __fish_seen_subcommand_from attach session title" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and not __fish_seen_subcommand_from attach session title" -f -a "attach" -d 'Attach this terminal to a pane; ctrl+b q detaches'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and not __fish_seen_subcommand_from attach session title" -f -a "session" -d 'Panes as streams of JSON lines'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and not __fish_seen_subcommand_from attach session title" -f -a "title" -d 'The title of the window that shows herdr'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from attach" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from attach" -l takeover -d 'Take the place of other terminals that are attached to the pane'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from attach" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from session" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from session" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from session" -f -a "observe" -d 'Print what a pane shows, frame by frame'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from session" -f -a "control" -d 'The same, and take commands for the pane from standard input'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from title" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from title" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from title" -f -a "set" -d 'Give the window a title'
complete -c herdr -n "__fish_herdr_using_subcommand terminal; and __fish_seen_subcommand_from title" -f -a "clear" -d 'Give the window its own title back'
complete -c herdr -n "__fish_herdr_using_subcommand notification; and not __fish_seen_subcommand_from show" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand notification; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand notification; and not __fish_seen_subcommand_from show" -f -a "show" -d 'Show a notification'
complete -c herdr -n "__fish_herdr_using_subcommand notification; and __fish_seen_subcommand_from show" -l body -d 'More text' -r
complete -c herdr -n "__fish_herdr_using_subcommand notification; and __fish_seen_subcommand_from show" -l position -d 'The corner it appears in' -r -f -a "top-left\t''
top-right\t''
bottom-left\t''
bottom-right\t''"
complete -c herdr -n "__fish_herdr_using_subcommand notification; and __fish_seen_subcommand_from show" -l sound -d 'The sound it makes; none by default' -r -f -a "none\t''
done\t''
request\t''"
complete -c herdr -n "__fish_herdr_using_subcommand notification; and __fish_seen_subcommand_from show" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand notification; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -f -a "install" -d 'Put an agent\'s hooks into its settings'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -f -a "uninstall" -d 'Take an agent\'s hooks out of its settings'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -f -a "status" -d 'Show which agents have hooks, and of which version'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and not __fish_seen_subcommand_from install uninstall status list" -f -a "list" -d 'List the agents that hooks can be installed for, as the server sees them'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from install" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from uninstall" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from status" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from status" -l outdated-only -d 'Only name what is to be done about hooks that are out of date'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand integration; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "install" -d 'Fetch a plugin from GitHub, build it and let it run'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "uninstall" -d 'Unlink a plugin and delete what was fetched of it'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "link" -d 'Let a plugin run that is on this machine'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "list" -d 'List the plugins of all sessions'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "config-dir" -d 'Print the folder of a plugin\'s settings, which is made if need be'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "unlink" -d 'Take a plugin off the list; its files stay'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "enable" -d 'Let a plugin run again'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "disable" -d 'Let a plugin run nothing any more'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "action" -d 'What plugins can do when asked'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "log" -d 'What the commands of plugins did'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and not __fish_seen_subcommand_from install uninstall link list config-dir unlink enable disable action log pane" -f -a "pane" -d 'Panes of plugins'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from install" -l ref -d 'A branch, a tag or a commit; by default what the repository shows first' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from install" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from install" -s y -l yes -d 'Do not ask'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from uninstall" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from link" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from link" -l disabled -d 'Let it run nothing yet'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from link" -l enabled -d 'Let it run, as without it'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from link" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from list" -l plugin -d 'Only this one' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from list" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from config-dir" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from config-dir" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from unlink" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from unlink" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from enable" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from enable" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from disable" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from disable" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from action" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from action" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from action" -f -a "list" -d 'List the actions of plugins'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from action" -f -a "invoke" -d 'Start an action'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from log" -l plugin -d 'Only those of one plugin' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from log" -l limit -d 'How many at most, 1 to 200; by default 50' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from log" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from log" -f -a "list" -d 'List the latest commands of plugins, the newest last'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from pane" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from pane" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from pane" -f -a "open" -d 'Open a pane of a plugin'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from pane" -f -a "focus" -d 'Focus a pane that a plugin opened'
complete -c herdr -n "__fish_herdr_using_subcommand plugin; and __fish_seen_subcommand_from pane" -f -a "close" -d 'Close a pane that a plugin opened'
complete -c herdr -n "__fish_herdr_using_subcommand api; and not __fish_seen_subcommand_from snapshot schema" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand api; and not __fish_seen_subcommand_from snapshot schema" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand api; and not __fish_seen_subcommand_from snapshot schema" -f -a "snapshot" -d 'Print everything there is, once'
complete -c herdr -n "__fish_herdr_using_subcommand api; and not __fish_seen_subcommand_from snapshot schema" -f -a "schema" -d 'Print the JSON Schema of the protocol'
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from snapshot" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from snapshot" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from schema" -l output -d 'Write it to a file' -r
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from schema" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from schema" -l json -d 'Print the whole schema'
complete -c herdr -n "__fish_herdr_using_subcommand api; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand config; and not __fish_seen_subcommand_from check reset-keys" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand config; and not __fish_seen_subcommand_from check reset-keys" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand config; and not __fish_seen_subcommand_from check reset-keys" -f -a "check" -d 'Check the configuration file'
complete -c herdr -n "__fish_herdr_using_subcommand config; and not __fish_seen_subcommand_from check reset-keys" -f -a "reset-keys" -d 'Take key bindings out of the configuration file, and keep it as it was beside it'
complete -c herdr -n "__fish_herdr_using_subcommand config; and __fish_seen_subcommand_from check" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand config; and __fish_seen_subcommand_from reset-keys" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand config; and __fish_seen_subcommand_from reset-keys" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand channel; and not __fish_seen_subcommand_from show set" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand channel; and not __fish_seen_subcommand_from show set" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand channel; and not __fish_seen_subcommand_from show set" -f -a "show" -d 'Print the update channel'
complete -c herdr -n "__fish_herdr_using_subcommand channel; and not __fish_seen_subcommand_from show set" -f -a "set" -d 'Say why there is nothing to choose'
complete -c herdr -n "__fish_herdr_using_subcommand channel; and __fish_seen_subcommand_from show" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand channel; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand channel; and __fish_seen_subcommand_from set" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand channel; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand update" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand update" -l handoff -d 'Have the running server replaced by the new build'
complete -c herdr -n "__fish_herdr_using_subcommand update" -s h -l help -d 'Print help'
complete -c herdr -n "__fish_herdr_using_subcommand completion" -l session -d 'Mean a named session' -r
complete -c herdr -n "__fish_herdr_using_subcommand completion" -s h -l help -d 'Print help'
