//! Git worktrees and their workspaces, with the real git on repositories that a test makes.

use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Daemon, Home, Setup, names, run, until_true};

/// A repository with one commit on `main`; its path.
fn repository(home: &Home, name: &str) -> PathBuf {
    let path = home.path("home").join(name);
    std::fs::create_dir_all(&path).expect("a directory");
    git(home, &path, "init --quiet --initial-branch main");
    commit(home, &path, "first");
    path
}

fn git(home: &Home, directory: &Path, words: &str) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let mut command = home.command(Path::new("/usr/bin/git"));
    command.current_dir(directory).args(identity);
    let end = run(command.args(words.split(' ')));
    assert_eq!(end.code, Some(0), "git {words}: {}", end.stderr);
    end.stdout
}

fn commit(home: &Home, directory: &Path, file: &str) {
    std::fs::write(directory.join(file), file).expect("a file");
    git(home, directory, "add .");
    git(home, directory, &format!("commit --quiet -m {file}"));
}

fn branches(home: &Home, repository: &Path) -> Vec<String> {
    let list = git(home, repository, "branch --format=%(refname:short)");
    list.lines().map(str::to_owned).collect()
}

/// A daemon with a workspace, `w1`, in a repository.
fn started() -> (Daemon, PathBuf) {
    let home = Home::new();
    let repository = repository(&home, "repo");
    let daemon = Setup::at(home).start();
    daemon.result(
        "workspace.create",
        json!({ "cwd": repository, "focus": true }),
    );
    (daemon, repository)
}

fn create(daemon: &Daemon, params: Value) -> Value {
    let mut all = json!({ "workspace_id": "w1" });
    let members = all.as_object_mut().expect("an object");
    members.extend(params.as_object().expect("an object").clone());
    daemon.result("worktree.create", all)
}

fn listed(daemon: &Daemon) -> Vec<Value> {
    let list = daemon.result("worktree.list", json!({ "workspace_id": "w1" }));
    list["worktrees"].as_array().expect("a list").clone()
}

fn not_a_work_tree(daemon: &Daemon, params: Value) {
    let what = if params["cwd"].is_string() {
        "path"
    } else {
        "workspace"
    };
    let message = format!("Herdr worktree actions require a {what} inside a Git work tree");
    daemon.refuses("worktree.list", params, "not_git_worktree", &message);
}

#[test]
fn a_repository_is_listed_from_anywhere_in_it() {
    let home = Home::new();
    let repository = repository(&home, "repo");
    std::fs::create_dir_all(repository.join("a/b")).expect("directories");
    let daemon = Setup::at(home).start();
    let none = "workspace_id or cwd is required when no workspace is active";
    daemon.refuses("worktree.list", json!({}), "invalid_request", none);
    let source = json!({
        "repo_key": repository.join(".git"), "repo_name": "repo", "repo_root": repository,
        "source_checkout_path": repository,
    });
    let worktree = json!({
        "path": repository, "branch": "main", "is_bare": false, "is_detached": false,
        "is_prunable": false, "is_linked_worktree": false, "label": "repo",
    });
    let expected = json!({ "type": "worktree_list", "source": source, "worktrees": [worktree] });
    for cwd in [
        json!(repository),
        json!(repository.join("a/b")),
        json!("~/repo/a"),
    ] {
        assert_eq!(
            daemon.result("worktree.list", json!({ "cwd": cwd })),
            expected
        );
    }
    // A workspace below the root shows the checkout just as well.
    daemon.result(
        "workspace.create",
        json!({ "cwd": repository.join("a"), "focus": true }),
    );
    let mut expected = expected;
    expected["source"]["source_workspace_id"] = json!("w1");
    expected["worktrees"][0]["open_workspace_id"] = json!("w1");
    for params in [
        json!({}),
        json!({ "workspace_id": "w1" }),
        json!({ "cwd": repository }),
    ] {
        assert_eq!(daemon.result("worktree.list", params), expected);
    }
    let both = json!({ "workspace_id": "w1", "cwd": repository });
    let message = "only one of workspace_id or cwd may be supplied";
    daemon.refuses("worktree.list", both, "invalid_request", message);
    let message = "worktree path must be absolute";
    daemon.refuses(
        "worktree.list",
        json!({ "cwd": "repo" }),
        "invalid_request",
        message,
    );
    not_a_work_tree(&daemon, json!({ "cwd": daemon.home.path("home") }));
    not_a_work_tree(&daemon, json!({ "cwd": "/nonexistent" }));
    daemon.result("workspace.create", json!({ "cwd": "/" }));
    not_a_work_tree(&daemon, json!({ "workspace_id": "w2" }));
    let message = "workspace w9 not found";
    let unknown = json!({ "workspace_id": "w9" });
    daemon.refuses("worktree.list", unknown, "workspace_not_found", message);
}

#[test]
fn a_new_checkout_gets_a_workspace_and_both_know_their_repository() {
    let (daemon, repository) = started();
    let mut stream = daemon.subscribe_to_everything(&[]);
    let made = create(&daemon, json!({ "branch": "feat/One", "focus": true }));
    let path = daemon.home.path("home/.herdr/worktrees/repo/feat-one");
    let membership = |checkout: &Path, is_linked: bool| {
        json!({
            "repo_key": repository.join(".git"), "repo_name": "repo", "repo_root": repository,
            "checkout_path": checkout, "is_linked_worktree": is_linked,
        })
    };
    assert_eq!(made["workspace"]["label"], "feat-one");
    assert_eq!(made["workspace"]["focused"], true);
    assert_eq!(made["workspace"]["worktree"], membership(&path, true));
    assert_eq!(made["tab"]["tab_id"], "w2:t1");
    assert_eq!(made["root_pane"]["cwd"], json!(path));
    let worktree = json!({
        "path": path, "branch": "feat/One", "is_bare": false, "is_detached": false,
        "is_prunable": false, "is_linked_worktree": true, "label": "repo", "open_workspace_id": "w2",
    });
    assert_eq!(made["worktree"], worktree);
    assert_eq!(
        std::fs::read_to_string(path.join("first")).expect("a file"),
        "first"
    );
    let own = daemon.result("workspace.get", json!({ "workspace_id": "w1" }));
    assert_eq!(own["workspace"]["worktree"], membership(&repository, false));
    let events = stream.so_far(&daemon);
    let focus = ["workspace_focused", "tab_focused", "pane_focused"];
    let expected = [
        &[
            "workspace_updated",
            "workspace_created",
            "tab_created",
            "pane_created",
        ][..],
        &["layout_updated", "worktree_created"],
        &focus,
    ];
    assert_eq!(names(&events)[..9], expected.concat());
    assert_eq!(events[0]["data"]["workspace"]["workspace_id"], "w1");
    assert_eq!(
        events[1]["data"]["workspace"]["worktree"],
        membership(&path, true)
    );
    assert_eq!(events[5]["data"]["worktree"], worktree);
    assert_eq!(listed(&daemon)[1], worktree);
    // Another leaves the repository's own workspace as it is known.
    create(&daemon, json!({ "branch": "two" }));
    assert!(!names(&stream.so_far(&daemon)).contains(&"workspace_updated"));
}

#[test]
fn branch_base_path_and_label_are_what_was_asked_for() {
    let (daemon, repository) = started();
    let home = &daemon.home;
    git(home, &repository, "branch old");
    commit(home, &repository, "second");
    let path = home.path("home/elsewhere/deep");
    let made = create(
        &daemon,
        json!({ "branch": " new ", "base": "old", "path": path, "label": "Mine" }),
    );
    assert_eq!(made["workspace"]["label"], "Mine");
    assert_eq!(made["workspace"]["focused"], false);
    assert_eq!(made["worktree"]["branch"], "new");
    assert!(path.join("first").exists() && !path.join("second").exists());
    // A branch that is there is checked out as it is.
    let made = create(&daemon, json!({ "branch": "old" }));
    let path = made["worktree"]["path"].as_str().expect("a path");
    assert!(!Path::new(path).join("second").exists());
    // Without a name there is one.
    let made = create(&daemon, json!({}));
    let branch = made["worktree"]["branch"]
        .as_str()
        .expect("a name")
        .to_owned();
    assert!(branch.starts_with("worktree/"), "{branch}");
    assert!(branches(home, &repository).contains(&branch));
}

#[test]
fn what_git_refuses_is_refused_with_its_words() {
    let (daemon, repository) = started();
    let refusal = |params: Value| {
        let mut all = params;
        all["workspace_id"] = json!("w1");
        daemon.refusal("worktree.create", all)
    };
    create(&daemon, json!({ "branch": "one" }));
    for (params, words) in [
        (json!({ "branch": "one" }), "already exists"),
        (json!({ "branch": "main" }), "'main' is already "),
        (
            json!({ "branch": "bad..name" }),
            "'bad..name' is not a valid branch name",
        ),
        (
            json!({ "branch": "x1", "base": "nosuch" }),
            "invalid reference: nosuch",
        ),
        // None of these is an option.
        (
            json!({ "branch": "x2", "base": "-D" }),
            "invalid reference: -D",
        ),
        (json!({ "branch": "-D" }), "'-D' is not a valid branch name"),
        (
            json!({ "branch": "--detach" }),
            "'--detach' is not a valid branch name",
        ),
        (
            json!({ "branch": "x3", "path": "/proc/nosuch/x" }),
            "cannot create /proc/nosuch",
        ),
    ] {
        let (code, message) = refusal(params.clone());
        assert_eq!(code, "worktree_create_failed", "{params}: {message}");
        assert!(message.contains(words), "{params}: {message}");
    }
    let (code, message) = refusal(json!({ "branch": " " }));
    assert_eq!(
        (&*code, &*message),
        ("invalid_request", "branch is required")
    );
    let (code, message) = refusal(json!({ "path": "relative" }));
    assert_eq!(
        (&*code, &*message),
        ("invalid_request", "worktree path must be absolute")
    );
    assert_eq!(branches(&daemon.home, &repository), ["main", "one"]);
    assert_eq!(listed(&daemon).len(), 2);
}

#[test]
fn a_linked_checkout_lists_its_repository_but_starts_nothing() {
    let (daemon, repository) = started();
    create(&daemon, json!({ "branch": "one" }));
    let list = daemon.result("worktree.list", json!({ "workspace_id": "w2" }));
    assert_eq!(list["source"]["repo_root"], json!(repository));
    assert_eq!(list["source"]["source_workspace_id"], "w1");
    assert_eq!(list["worktrees"].as_array().expect("a list").len(), 2);
    let message = "New and open worktree actions start from the repo parent workspace.";
    let code = "linked_worktree_source";
    let from_linked = json!({ "workspace_id": "w2", "branch": "two" });
    daemon.refuses("worktree.create", from_linked.clone(), code, message);
    daemon.refuses("worktree.open", from_linked, code, message);
    assert_eq!(branches(&daemon.home, &repository), ["main", "one"]);
}

#[test]
fn a_checkout_is_opened_once_by_path_or_branch() {
    let (daemon, repository) = started();
    let path = daemon.home.path("home").join("-we ird\nname");
    let words = format!("worktree add --quiet -b ext -- {}", path.display());
    let identity = words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut command = daemon.home.command(Path::new("/usr/bin/git"));
    let (options, _) = identity.split_at(6);
    let end = run(command.current_dir(&repository).args(options).arg(&path));
    assert_eq!(end.code, Some(0), "{}", end.stderr);
    let open = |params: Value| {
        let mut all = params;
        all["workspace_id"] = json!("w1");
        daemon.result("worktree.open", all)
    };
    let mut stream = daemon.subscribe_to_everything(&[]);
    let opened = open(json!({ "path": path }));
    assert_eq!(opened["already_open"], false);
    assert_eq!(opened["workspace"]["workspace_id"], "w2");
    assert_eq!(opened["worktree"]["path"], json!(path));
    assert_eq!(opened["root_pane"]["cwd"], json!(path));
    let expected = [
        "workspace_updated",
        "workspace_created",
        "tab_created",
        "pane_created",
        "layout_updated",
        "worktree_opened",
    ];
    assert_eq!(names(&stream.so_far(&daemon))[..6], expected);
    let again = open(json!({ "branch": "ext", "focus": true, "label": "named" }));
    assert_eq!(again["already_open"], true);
    assert_eq!(again["workspace"]["workspace_id"], "w2");
    assert_eq!(again["workspace"]["label"], "named");
    assert_eq!(again["workspace"]["focused"], true);
    let events = stream.so_far(&daemon);
    let events: Vec<_> = names(&events)
        .into_iter()
        .filter(|name| *name != "pane_updated")
        .collect();
    let expected = [
        "workspace_renamed",
        "worktree_opened",
        "workspace_focused",
        "tab_focused",
        "pane_focused",
    ];
    assert_eq!(events, expected);
    // The repository's own checkout is open, too, and stays what it is.
    let own = open(json!({ "branch": "main" }));
    assert_eq!(
        (&own["already_open"], &own["workspace"]["workspace_id"]),
        (&json!(true), &json!("w1"))
    );
    assert_eq!(own["workspace"]["worktree"]["is_linked_worktree"], false);
}

#[test]
fn what_cannot_be_opened_is_refused() {
    let (daemon, repository) = started();
    let gone = daemon.home.path("home/gone");
    git(
        &daemon.home,
        &repository,
        &format!("worktree add --quiet -b gone {}", gone.display()),
    );
    std::fs::remove_dir_all(&gone).expect("removed");
    let refuses = |params: Value, code: &str, message: &str| {
        let mut all = params;
        all["workspace_id"] = json!("w1");
        daemon.refuses("worktree.open", all, code, message);
    };
    let one = "exactly one of path or branch is required";
    refuses(json!({}), "invalid_request", one);
    refuses(
        json!({ "branch": "x", "path": "/x" }),
        "invalid_request",
        one,
    );
    let not_found = "worktree_not_found";
    refuses(
        json!({ "path": "/nonexistent" }),
        not_found,
        "worktree path not found",
    );
    refuses(
        json!({ "branch": "nosuch" }),
        not_found,
        "worktree branch not found",
    );
    refuses(
        json!({ "branch": "gone" }),
        not_found,
        "worktree cannot be opened",
    );
    let forced = daemon.home.path("home/forced");
    git(
        &daemon.home,
        &repository,
        &format!("worktree add --quiet --force {} main", forced.display()),
    );
    let several = "multiple worktrees matched branch";
    refuses(
        json!({ "branch": "main" }),
        "ambiguous_worktree_branch",
        several,
    );
}

#[test]
fn a_repository_that_no_workspace_shows_gets_one_of_its_own() {
    let home = Home::new();
    let repository = repository(&home, "repo");
    let daemon = Setup::at(home).start();
    let made = daemon.result(
        "worktree.create",
        json!({ "cwd": repository, "branch": "one" }),
    );
    assert_eq!(made["workspace"]["workspace_id"], "w2");
    let own = daemon.result("workspace.get", json!({ "workspace_id": "w1" }));
    assert_eq!(own["workspace"]["label"], "repo");
    assert_eq!(own["workspace"]["worktree"]["is_linked_worktree"], false);
}

#[test]
fn a_clean_checkout_is_removed_and_its_branch_stays() {
    let (daemon, repository) = started();
    let made = create(&daemon, json!({ "branch": "one", "focus": true }));
    let path = PathBuf::from(made["worktree"]["path"].as_str().expect("a path"));
    let mut stream = daemon.subscribe_to_everything(&[]);
    let removed = daemon.result("worktree.remove", json!({ "workspace_id": "w2" }));
    let expected =
        json!({ "type": "worktree_removed", "workspace_id": "w2", "path": path, "forced": false });
    assert_eq!(removed, expected);
    assert!(!path.exists());
    assert_eq!(branches(&daemon.home, &repository), ["main", "one"]);
    let closed = stream.skip_to("workspace_closed");
    assert_eq!(closed["data"]["workspace_id"], "w2");
    let removed = stream.next();
    assert_eq!(removed["event"], "worktree_removed");
    assert_eq!(removed["data"]["worktree"]["branch"], "one");
    assert!(
        removed["data"]["worktree"]
            .get("open_workspace_id")
            .is_none()
    );
    assert_eq!(removed["data"]["workspace"]["workspace_id"], "w2");
    // It was the active one; the repository's own is now.
    assert_eq!(stream.next()["data"]["workspace_id"], "w1");
    let message = "workspace w2 not found";
    let gone = json!({ "workspace_id": "w2" });
    daemon.refuses("worktree.remove", gone, "workspace_not_found", message);
}

#[test]
fn work_is_only_lost_by_force() {
    let (daemon, repository) = started();
    let made = create(&daemon, json!({ "branch": "one" }));
    let path = PathBuf::from(made["worktree"]["path"].as_str().expect("a path"));
    std::fs::write(path.join("unsaved"), "work").expect("a file");
    let (code, message) = daemon.refusal("worktree.remove", json!({ "workspace_id": "w2" }));
    assert_eq!(code, "dirty_worktree_requires_force");
    assert!(
        message.contains("contains modified or untracked files"),
        "{message}"
    );
    assert!(path.join("unsaved").exists());
    // A program that writes there must not outlive the directory.
    daemon.enter("w2:p1", "while :; do date >>log; done");
    until_true("the program runs", || path.join("log").exists());
    let mut stream = daemon.subscribe_to_everything(&[]);
    let forced = json!({ "workspace_id": "w2", "force": true });
    assert_eq!(daemon.result("worktree.remove", forced)["forced"], true);
    assert!(!path.exists());
    assert_eq!(stream.skip_to("worktree_removed")["data"]["forced"], true);
    assert_eq!(branches(&daemon.home, &repository), ["main", "one"]);
    assert_eq!(listed(&daemon).len(), 1);
}

#[test]
fn a_checkout_that_git_has_forgotten_is_removed_by_force() {
    let (daemon, repository) = started();
    let made = create(&daemon, json!({ "branch": "one" }));
    let path = PathBuf::from(made["worktree"]["path"].as_str().expect("a path"));
    std::fs::remove_dir_all(repository.join(".git/worktrees")).expect("removed");
    let (code, _) = daemon.refusal("worktree.remove", json!({ "workspace_id": "w2" }));
    assert_eq!(code, "worktree_remove_failed");
    assert!(path.exists());
    daemon.result(
        "worktree.remove",
        json!({ "workspace_id": "w2", "force": true }),
    );
    assert!(!path.exists());
}

#[test]
fn only_linked_checkouts_are_removed() {
    let (daemon, repository) = started();
    let remove = json!({ "workspace_id": "w1", "force": true });
    let code = "not_linked_worktree";
    let message = "workspace is not a Herdr-managed worktree checkout";
    daemon.refuses("worktree.remove", remove.clone(), code, message);
    create(&daemon, json!({ "branch": "one" }));
    let message = "workspace is not a linked worktree checkout";
    daemon.refuses("worktree.remove", remove, code, message);
    assert!(repository.join(".git").exists());
}

#[test]
fn a_group_is_only_closed_on_purpose() {
    let (daemon, _) = started();
    create(&daemon, json!({ "branch": "one" }));
    create(&daemon, json!({ "branch": "two" }));
    let message = "workspace has linked worktree workspaces; use --group (close_group=true in the API) to close the group";
    let own = json!({ "workspace_id": "w1" });
    daemon.refuses(
        "workspace.close",
        own,
        "workspace_group_close_required",
        message,
    );
    let code = "confirmation_required";
    let message = "closing this tab would close a worktree group";
    daemon.refuses("tab.close", json!({ "tab_id": "w1:t1" }), code, message);
    let message = "closing this pane would close a worktree group";
    daemon.refuses("pane.close", json!({ "pane_id": "w1:p1" }), code, message);
    // The linked ones are closed like any other, and so is what is not the last.
    daemon.result("workspace.close", json!({ "workspace_id": "w3" }));
    let pane = daemon.split("w1:p1");
    daemon.result("pane.close", json!({ "pane_id": pane }));
    let mut stream = daemon.subscribe_to_everything(&[]);
    daemon.result(
        "workspace.close",
        json!({ "workspace_id": "w1", "close_group": true }),
    );
    assert_eq!(
        stream.skip_to("workspace_closed")["data"]["workspace_id"],
        "w2"
    );
    assert_eq!(
        stream.skip_to("workspace_closed")["data"]["workspace_id"],
        "w1"
    );
    assert_eq!(
        daemon.result("workspace.list", json!({}))["workspaces"],
        json!([])
    );
}

#[test]
fn nobody_is_asked_where_the_configuration_says_so() {
    let home = Home::new();
    home.configure("ui.confirm_close = false\nworktrees.directory = \"~/trees\"\n");
    let repository = repository(&home, "repo");
    let daemon = Setup::at(home).start();
    daemon.result(
        "workspace.create",
        json!({ "cwd": repository, "focus": true }),
    );
    let made = create(&daemon, json!({ "branch": "one" }));
    assert_eq!(
        made["worktree"]["path"],
        json!(daemon.home.path("home/trees/repo/one"))
    );
    daemon.result("tab.close", json!({ "tab_id": "w1:t1" }));
}

/// A git that leaves a mark where the repository has it run something.
fn booby_trapped(home: &Home, repository: &Path) -> PathBuf {
    let mark = home.path("home/mark");
    let script = format!("#!/bin/sh\necho \"$0\" >>{}\n", mark.display());
    home.script("trap", &script);
    let trap = home.path("bin/trap");
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-commit",
    ] {
        std::fs::copy(&trap, repository.join(".git/hooks").join(hook)).expect("a hook");
    }
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.askPass",
        "core.sshCommand",
        "core.editor",
    ] {
        git(
            home,
            repository,
            &format!("config {key} {}", trap.display()),
        );
    }
    mark
}

#[test]
fn looking_at_a_repository_runs_nothing_of_it() {
    let (daemon, repository) = started();
    let mark = booby_trapped(&daemon.home, &repository);
    assert_eq!(listed(&daemon).len(), 1);
    daemon.result(
        "worktree.open",
        json!({ "workspace_id": "w1", "branch": "main" }),
    );
    assert!(!mark.exists(), "{:?}", std::fs::read_to_string(&mark));
    // Whoever makes a checkout gets the hooks that belong to it, and still no monitor.
    create(&daemon, json!({ "branch": "one" }));
    let ran = std::fs::read_to_string(&mark).expect("hooks ran");
    assert!(
        ran.contains("post-checkout") && !ran.contains("bin/trap"),
        "{ran}"
    );
    std::fs::remove_file(&mark).expect("removed");
    daemon.result("worktree.remove", json!({ "workspace_id": "w2" }));
    assert!(!mark.exists(), "{:?}", std::fs::read_to_string(&mark));
}

#[test]
fn a_repository_of_another_user_is_taken_when_it_is_trusted() {
    let home = Home::new();
    let repository = repository(&home, "repo");
    // Git's own switch for its tests: everything belongs to somebody else.
    home.script(
        "git",
        "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec /usr/bin/git \"$@\"\n",
    );
    let daemon = Setup::at(home).start();
    daemon.result(
        "workspace.create",
        json!({ "cwd": repository, "focus": true }),
    );
    let (code, message) = daemon.refusal("worktree.list", json!({}));
    assert_eq!(code, "not_git_worktree");
    assert!(
        message.contains("belongs to another user") && message.contains("--trust-repository"),
        "{message}"
    );
    let mark = booby_trapped(&daemon.home, &repository);
    let list = daemon.result("worktree.list", json!({ "trust_repository": true }));
    assert_eq!(list["source"]["repo_root"], json!(repository));
    let params = json!({ "branch": "one", "trust_repository": true });
    create(&daemon, params);
    daemon.result(
        "worktree.remove",
        json!({ "workspace_id": "w2", "trust_repository": true }),
    );
    assert!(!mark.exists(), "{:?}", std::fs::read_to_string(&mark));
}

#[test]
fn a_slow_repository_holds_up_nobody_else() {
    let home = Home::new();
    let repository = repository(&home, "repo");
    // Adding waits until the test lets it go.
    let [waits, go] = ["waits", "go"].map(|name| home.path("home").join(name));
    home.script(
        "git",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *'worktree add'*) touch {}; until [ -e {} ]; do sleep 0.01; done;; esac\nexec /usr/bin/git \"$@\"\n",
            waits.display(),
            go.display()
        ),
    );
    let daemon = Setup::at(home).start();
    daemon.result(
        "workspace.create",
        json!({ "cwd": repository, "focus": true }),
    );
    let params = json!({ "workspace_id": "w1", "branch": "one" });
    let mut slow = daemon.connect();
    slow.request("slow", "worktree.create", params.clone());
    until_true("git runs", || waits.exists());
    daemon.result("session.snapshot", json!({}));
    daemon.result(
        "workspace.rename",
        json!({ "workspace_id": "w1", "label": "other" }),
    );
    assert_eq!(listed(&daemon).len(), 1);
    let message = "worktree operation is already in progress for this checkout";
    daemon.refuses(
        "worktree.create",
        params,
        "worktree_operation_in_progress",
        message,
    );
    std::fs::write(&go, "").expect("a file");
    let answer = slow.line().expect("an answer");
    assert_eq!(answer["result"]["worktree"]["branch"], "one", "{answer}");
}

#[test]
fn without_git_the_reason_is_told() {
    let home = Home::new();
    let repository = repository(&home, "repo");
    let daemon = Setup::at(home).variable("PATH", "/nonexistent").start();
    let (code, message) = daemon.refusal("worktree.list", json!({ "cwd": repository }));
    assert_eq!(code, "worktree_list_failed");
    assert!(
        message.contains("git cannot be run") && message.contains("installed"),
        "{message}"
    );
}

#[test]
fn a_workspace_still_knows_its_checkout_after_a_restart() {
    let (daemon, _) = started();
    create(&daemon, json!({ "branch": "one" }));
    let known = |daemon: &Daemon| {
        let list = daemon.result("workspace.list", json!({}));
        let all = list["workspaces"].as_array().expect("a list").clone();
        all.iter()
            .map(|one| one["worktree"].clone())
            .collect::<Vec<_>>()
    };
    let before = known(&daemon);
    assert!(before.iter().all(Value::is_object), "{before:?}");
    let daemon = Setup::at(daemon.ended_by(Signal::SIGTERM)).start();
    assert_eq!(known(&daemon), before);
    daemon.result("worktree.remove", json!({ "workspace_id": "w2" }));
}

#[test]
fn the_command_does_the_same() {
    let (daemon, repository) = started();
    let end = daemon.herdr(&[
        "worktree",
        "create",
        "--workspace",
        "w1",
        "--branch",
        "one",
        "--json",
    ]);
    assert_eq!(end.code, Some(0), "{}", end.stderr);
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["result"]["type"], "worktree_created");
    let end = daemon.herdr(&["worktree", "list", "--cwd", "repo"]);
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["result"]["source"]["repo_root"], json!(repository));
    let words = ["worktree", "open", "--workspace", "w1", "--branch", "one"];
    let end = daemon.herdr(&words);
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["result"]["already_open"], true, "{answer}");
    let end = daemon.herdr(&["worktree", "remove", "--workspace", "w2"]);
    assert_eq!(end.code, Some(0), "{}", end.stderr);
}
