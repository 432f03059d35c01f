//! People are told what the rules allow, once, whatever the receiver does; and nobody else learns a secret.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::sys::socket::{setsockopt, sockopt};
use serde_json::{Value, json};

use super::common::{Connection, Daemon, Half, Home, PATIENCE, Setup};

/// What a server does with a request that it has read.
#[derive(Debug, Clone)]
enum Reply {
    Status(u16),
    /// Sends it on, with this status.
    To(u16, String),
    /// Closes the connection so that the client sees a reset.
    Reset,
    /// Says nothing for as long as the server is there.
    Silence,
}

/// A request as it came.
#[derive(Debug)]
struct Request {
    path: String,
    headers: Vec<(String, String)>,
    body: String,
    /// It was answered with 200.
    taken: bool,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    fn title(&self) -> String {
        self.json()["title"].as_str().expect("a title").to_owned()
    }
}

/// An HTTP server of this test's own.
struct Server {
    url: String,
    requests: Receiver<Request>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    held: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, requests) = mpsc::channel();
        let replies = Arc::new(Mutex::new(VecDeque::new()));
        let held = Arc::new(Mutex::new(Vec::new()));
        let server = Server {
            url,
            requests,
            replies: Arc::clone(&replies),
            held: Arc::clone(&held),
        };
        // It ends with the test's process; a connection that comes later finds nobody who reads.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (sender, replies, held) = (sender.clone(), replies.clone(), held.clone());
                std::thread::spawn(move || serve(stream, &sender, &replies, &held));
            }
        });
        server
    }

    /// What to do with the next requests; those that follow are answered with 200.
    fn reply(&self, replies: impl IntoIterator<Item = Reply>) {
        self.replies.lock().expect("lock").extend(replies);
    }

    fn next(&self) -> Request {
        self.requests.recv_timeout(PATIENCE).expect("a request")
    }

    /// Lets go of those that are kept waiting.
    fn let_go(&self) {
        self.held.lock().expect("lock").clear();
    }
}

fn serve(
    stream: TcpStream,
    sender: &Sender<Request>,
    replies: &Mutex<VecDeque<Reply>>,
    held: &Mutex<Vec<TcpStream>>,
) {
    let mut reader = BufReader::new(&stream);
    let mut line = String::new();
    let mut next = |reader: &mut BufReader<&TcpStream>| {
        line.clear();
        reader.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    };
    let first = next(&mut reader);
    let mut headers = Vec::new();
    loop {
        let line = next(&mut reader);
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let mut words = first.split(' ');
    assert_eq!(words.next(), Some("POST"), "{first}");
    let reply = replies.lock().expect("lock").pop_front();
    let reply = reply.unwrap_or(Reply::Status(200));
    let request = Request {
        path: words.next().expect("a path").to_owned(),
        headers,
        body: String::from_utf8(body).expect("text"),
        taken: matches!(reply, Reply::Status(200)),
    };
    let answer = match &reply {
        Reply::Status(status) => format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n"),
        Reply::To(status, place) => {
            format!("HTTP/1.1 {status} X\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n")
        }
        Reply::Reset | Reply::Silence => String::new(),
    };
    // Before the answer, so that what comes because of it comes after it.
    let _ = sender.send(request);
    match reply {
        Reply::Reset => {
            let at_once = nix::libc::linger {
                l_onoff: 1,
                l_linger: 0,
            };
            setsockopt(&stream, sockopt::Linger, &at_once).expect("an option");
        }
        Reply::Silence => held
            .lock()
            .expect("lock")
            .push(stream.try_clone().expect("a socket")),
        _ => {
            let _ = (&stream).write_all(answer.as_bytes());
        }
    }
}

/// A daemon that sends to a server what a rule says, and every message.
fn daemon(server: &Server, rule: &str, sink: &str) -> Daemon {
    Setup::new().config(&config(server, rule, sink)).start()
}

fn config(server: &Server, rule: &str, sink: &str) -> String {
    format!(
        "[[notify.rule]]\n{rule}\nsinks = ['hook']\n[[notify.rule]]\non = 'message'\nsinks = ['hook']\n\
         [[notify.sink]]\nname = 'hook'\nurl = '{}/in'\nretry_ms = 10\n{sink}\n",
        server.url
    )
}

trait Agents {
    fn report(&self, pane: &str, agent: &str, state: &str);
    fn say(&self, title: &str) -> Value;
}

impl Agents for Daemon {
    fn report(&self, pane: &str, agent: &str, state: &str) {
        let params = json!({ "pane_id": pane, "source": "test", "agent": agent, "state": state });
        self.result("pane.report_agent", params);
    }

    fn say(&self, title: &str) -> Value {
        let shown = self.result("notification.show", json!({ "title": title }));
        assert_eq!(shown["shown"], shown["reason"] == "shown", "{shown}");
        shown["reason"].clone()
    }
}

#[test]
fn a_receiver_gets_exactly_what_the_rules_allow() {
    let server = Server::start();
    let rule = "on = ['blocked', 'back', 'gone']\nagents = ['bot', 'ann']";
    let daemon = daemon(&server, rule, "");
    let first = daemon.busy(daemon.workspace());
    let second = daemon.busy(daemon.tab());
    daemon.report(&first, "bot", "working");
    daemon.report(&first, "bot", "blocked");
    daemon.report(&first, "bot", "blocked");
    daemon.report(&second, "other", "blocked");
    daemon.report(&first, "bot", "working");
    daemon.report(&first, "bot", "idle");
    assert_eq!(daemon.say("the end"), "shown");
    let blocked = server.next();
    assert_eq!((blocked.path.as_str(), blocked.taken), ("/in", true));
    let json = blocked.json();
    assert_eq!(json["event"], "blocked", "{json}");
    assert_eq!(
        (&json["agent"], &json["pane_id"], &json["status"]),
        (&json!("bot"), &json!(first), &json!("blocked"))
    );
    assert_eq!(blocked.header("idempotency-key"), json["id"].as_str());
    assert_eq!(server.next().json()["event"], "back");
    assert_eq!(server.next().title(), "the end");
    // A pane that goes takes its agent along.
    daemon.result("pane.close", json!({ "pane_id": first }));
    assert_eq!(server.next().json()["event"], "gone");
    daemon.result("pane.close", json!({ "pane_id": second }));
    assert!(server.requests.try_recv().is_err());
}

#[test]
fn errors_resets_silence_and_redirects_are_survived_and_nothing_is_taken_twice() {
    let server = Server::start();
    let daemon = daemon(&server, "on = 'blocked'", "timeout_ms = 300");
    let pane = daemon.busy(daemon.workspace());
    let moved = Reply::To(307, "/moved".to_owned());
    server.reply([Reply::Status(500), Reply::Reset, Reply::Silence, moved]);
    daemon.report(&pane, "bot", "blocked");
    let requests: Vec<Request> = (0..5).map(|_| server.next()).collect();
    let paths: Vec<&str> = requests.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/in", "/in", "/in", "/in", "/moved"]);
    let id = requests[0].header("idempotency-key").expect("an id");
    assert!(
        requests
            .iter()
            .all(|one| one.header("idempotency-key") == Some(id))
    );
    let taken = requests.iter().filter(|one| one.taken).count();
    assert_eq!(taken, 1);
    // What is refused for good is not tried again, and the next one is sent all the same.
    server.reply([Reply::Status(404)]);
    daemon.report(&pane, "bot", "working");
    daemon.report(&pane, "bot", "blocked");
    assert_eq!(server.next().json()["event"], "blocked");
    // An agent's state and its message do not count against each other.
    assert_eq!(daemon.say("the end"), "shown");
    assert_eq!(server.next().title(), "the end");
    assert!(server.requests.try_recv().is_err());
    let log = daemon.log();
    assert!(
        log.contains("a notification of blocked did not reach hook: HTTP 404"),
        "{log}"
    );
}

#[test]
fn a_circle_of_redirects_ends_and_nothing_goes_from_a_get_to_nowhere() {
    let server = Server::start();
    let daemon = daemon(&server, "on = 'blocked'", "retries = 0");
    let circle = || Reply::To(302, "/in".to_owned());
    server.reply([circle(), circle(), circle(), circle(), circle()]);
    assert_eq!(daemon.say("round and round"), "no_foreground_client");
    for _ in 0..5 {
        assert_eq!(server.next().path, "/in");
    }
    server.reply([Reply::To(301, "gopher://elsewhere".to_owned())]);
    assert_eq!(daemon.say("away"), "no_foreground_client");
    assert_eq!(server.next().title(), "away");
    assert_eq!(daemon.say("the end"), "shown");
    assert_eq!(server.next().title(), "the end");
}

#[test]
fn a_secret_reaches_its_own_server_and_no_log_no_answer_and_no_other_server() {
    let (server, elsewhere) = (Server::start(), Server::start());
    let home = Home::new();
    let secrets = ["tk_in_a_file", "word_in_a_header", "path_in_an_address"];
    std::fs::write(home.path("home/token"), format!("{}\n", secrets[0])).expect("a file");
    std::fs::write(
        home.path("home/address"),
        format!("{}/{}", server.url, secrets[2]),
    )
    .expect("a file");
    let config = format!(
        "[[notify.rule]]\non = 'message'\nsinks = ['hook']\n[[notify.sink]]\nname = 'hook'\nurl_file = '~/address'\n\
         retries = 0\nretry_ms = 10\nsecret_file = '~/token'\nheaders = ['X-Word: {}']\ntimeout_ms = 300\n",
        secrets[1]
    );
    home.configure(&config);
    let daemon = Setup::at(home).variable("DROVER_LOG", "trace").start();
    let with_secrets = |request: Request| {
        assert_eq!(request.header("authorization"), Some("Bearer tk_in_a_file"));
        assert_eq!(request.header("x-word"), Some(secrets[1]));
        assert_eq!(request.path, format!("/{}", secrets[2]));
    };
    server.reply([Reply::To(308, format!("{}/there", elsewhere.url))]);
    assert_eq!(daemon.say("to another server"), "shown");
    with_secrets(server.next());
    let there = elsewhere.next();
    assert_eq!((there.path.as_str(), there.taken), ("/there", true));
    assert_eq!(
        (there.header("authorization"), there.header("x-word")),
        (None, None)
    );
    let mut said = String::new();
    for reply in [
        Reply::Status(401),
        Reply::Reset,
        Reply::Silence,
        Reply::To(307, "gopher://away".to_owned()),
    ] {
        server.reply([reply]);
        let tested = daemon.home.drover(&["notify", "test", "hook"]);
        assert_eq!(tested.code, Some(1), "{tested:?}");
        said += &tested.stdout;
        said += &tested.stderr;
        with_secrets(server.next());
    }
    let fine = daemon.home.drover(&["notify", "test", "hook", "--json"]);
    assert_eq!(fine.code, Some(0), "{fine:?}");
    said += &fine.stdout;
    said += &daemon.home.herdr(&["config", "check"]).stdout;
    said += &daemon.home.drover(&["doctor"]).stdout;
    said += &daemon.log();
    assert!(
        said.contains("HTTP 401") && said.contains("HTTP 200"),
        "{said}"
    );
    for secret in secrets {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[test]
fn a_dead_receiver_holds_up_neither_agents_nor_another_receiver() {
    let (dead, well) = (Server::start(), Server::start());
    let text = format!(
        "[[notify.rule]]\non = ['blocked', 'message']\nsinks = ['dead', 'well']\n\
         [[notify.sink]]\nname = 'dead'\nurl = '{}'\ntimeout_ms = 60000\n\
         [[notify.sink]]\nname = 'well'\nurl = '{}'\n",
        dead.url, well.url
    );
    let daemon = Setup::new().config(&text).start();
    let pane = daemon.busy(daemon.workspace());
    dead.reply([Reply::Silence]);
    for _ in 0..10 {
        daemon.report(&pane, "bot", "blocked");
        daemon.report(&pane, "bot", "working");
        assert_eq!(well.next().json()["event"], "blocked");
    }
    assert_eq!(daemon.say("one of them takes it"), "shown");
    assert_eq!(well.next().title(), "one of them takes it");
    assert_eq!(dead.next().json()["event"], "blocked");
    assert!(
        dead.requests.try_recv().is_err(),
        "it has not answered the first"
    );
    dead.let_go();
}

#[test]
fn shown_is_true_only_once_a_receiver_has_taken_it() {
    let server = Server::start();
    let daemon = daemon(&server, "on = 'blocked'", "timeout_ms = 60000\nretries = 0");
    server.reply([Reply::Status(403), Reply::Silence]);
    assert_eq!(daemon.say("refused"), "no_foreground_client");
    assert_eq!(daemon.say("on its way"), "busy");
    server.let_go();
    assert_eq!(daemon.say("taken"), "shown");
    assert_eq!(daemon.say("too soon"), "rate_limited");
    assert_eq!(server.next().title(), "refused");
    assert_eq!(server.next().title(), "on its way");
    assert_eq!(server.next().title(), "taken");
    assert!(server.requests.try_recv().is_err());
    let off = Daemon::start();
    assert_eq!(off.say("nobody wants it"), "disabled");
}

#[test]
fn an_attached_terminal_shows_messages_and_what_agents_elsewhere_do() {
    let daemon = Setup::new()
        .config("ui.toast.delivery = 'terminal'\n")
        .start();
    let pane = daemon.workspace();
    assert_eq!(daemon.say("nobody is there"), "no_foreground_client");
    let mut terminal = Connection::open(&daemon.home.path("run/drover/drover.sock"));
    let params = json!({ "target": pane, "cols": 80, "rows": 24, "attach": true });
    terminal.request("t", "terminal.control", params);
    assert_eq!(
        terminal.line().expect("an answer")["result"]["type"],
        "terminal_stream"
    );
    assert_eq!(daemon.say("hello"), "shown");
    let mut shows = |title: &str| {
        let title = json!(title).to_string();
        while !terminal
            .line()
            .expect("a stream that goes on")
            .to_string()
            .contains(&title)
        {}
    };
    shows("hello");
    let elsewhere = daemon.tab();
    daemon.result("pane.focus", json!({ "pane_id": pane }));
    let elsewhere = daemon.busy(elsewhere);
    daemon.report(&elsewhere, "bot", "blocked");
    shows("bot waits for you");
}

#[test]
fn what_was_told_is_not_told_again_after_the_worker_was_killed() {
    let server = Server::start();
    let mut daemon = daemon(&server, "on = ['blocked', 'done', 'idle', 'back']", "");
    let pane = daemon.busy(daemon.workspace());
    daemon.report(&pane, "bot", "blocked");
    assert_eq!(server.next().json()["event"], "blocked");
    daemon.kill(Half::Worker);
    assert_eq!(daemon.pane(&pane)["agent_status"], "blocked");
    assert_eq!(daemon.say("the end"), "shown");
    assert_eq!(server.next().title(), "the end");
    daemon.report(&pane, "bot", "working");
    assert_eq!(server.next().json()["event"], "back");
}

#[test]
fn what_waits_is_sent_by_the_next_worker_once_and_what_was_taken_back_is_not() {
    let server = Server::start();
    let slowly = config(&server, "on = 'blocked'\ndelay_ms = 4000", "");
    let slowly = slowly.replace("retry_ms = 10", "retry_ms = 2000");
    let mut daemon = Setup::new().config(&slowly).start();
    let (lasting, quick) = (daemon.busy(daemon.workspace()), daemon.busy(daemon.tab()));
    // One waits after an attempt that failed, two until their states have lasted.
    server.reply([Reply::Status(503)]);
    assert_eq!(daemon.say("again"), "no_foreground_client");
    let first = server.next();
    assert!(!first.taken);
    daemon.report(&lasting, "slow", "blocked");
    daemon.report(&quick, "quick", "blocked");
    daemon.kill(Half::Worker);
    daemon.report(&quick, "quick", "working");
    let again = server.next();
    assert_eq!((again.title().as_str(), again.taken), ("again", true));
    assert_eq!(
        again.header("idempotency-key"),
        first.header("idempotency-key")
    );
    let slow = server.next().json();
    assert_eq!(
        (&slow["agent"], &slow["event"]),
        (&json!("slow"), &json!("blocked"))
    );
    // Nothing of it is left to be sent a second time.
    daemon.kill(Half::Worker);
    assert_eq!(daemon.say("the end"), "shown");
    assert_eq!(server.next().title(), "the end");
    assert!(server.requests.try_recv().is_err());
}

#[test]
fn a_state_that_does_not_last_and_a_pane_that_is_muted_are_not_told_of() {
    let server = Server::start();
    let daemon = daemon(&server, "on = 'blocked'\ndelay_ms = 50", "");
    let quick = daemon.busy(daemon.workspace());
    let (lasting, muted) = (daemon.busy(daemon.tab()), daemon.busy(daemon.tab()));
    let said = daemon.home.drover(&["notify", "mute", &muted]).stdout;
    assert!(said.contains(&muted), "{said}");
    daemon.report(&muted, "hush", "blocked");
    // Faster than any delay where the machine has time for it: an agent that goes away at once.
    daemon.report(&lasting, "slow", "blocked");
    let request = server.next();
    assert_eq!(request.json()["agent"], "slow");
    daemon.home.drover(&["notify", "unmute", &muted]);
    daemon.report(&muted, "hush", "working");
    daemon.report(&muted, "hush", "blocked");
    assert_eq!(server.next().json()["agent"], "hush");
    daemon.report(&quick, "quick", "working");
    assert_eq!(daemon.say("the end"), "shown");
    assert_eq!(server.next().title(), "the end");
}

#[test]
fn a_test_says_of_every_sink_what_became_of_it() {
    let server = Server::start();
    let text = format!(
        "[[notify.rule]]\nsinks = ['phone', 'own', 'terminal']\n[[notify.sink]]\nname = 'phone'\nkind = 'ntfy'\n\
         url = '{}/topic'\n[[notify.sink]]\nname = 'own'\nkind = 'command'\ncommand = ['sh', '-c', 'cat > own']\n",
        server.url
    );
    let daemon = Setup::new().config(&text).start();
    // What is run for the desktop is a stand-in here.
    daemon.home.script(
        "notify-send",
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/desktop\"\n",
    );
    daemon.home.script(
        "osascript",
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/desktop\"\n",
    );
    let end = daemon.home.drover(&["notify", "test"]);
    assert_eq!(end.code, Some(1), "no terminal is attached: {end:?}");
    let line = |name: &str| {
        let mut lines = end.stdout.lines();
        let line = lines.find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{}", end.stdout)).to_owned()
    };
    assert!(line("desktop").contains("no    yes"), "{}", end.stdout);
    assert!(line("terminal").contains("no attached terminal"));
    assert!(line("phone").contains("HTTP 200"));
    assert!(line("own").contains("sh took it"));
    let push = server.next();
    assert_eq!(push.path, "/topic");
    assert_eq!(push.header("title"), Some("drover can reach you"));
    assert!(!push.body.is_empty() && !push.body.contains('{'));
    let own = std::fs::read_to_string(daemon.home.path("home/own")).expect("a file");
    assert!(own.contains("\"event\":\"test\""), "{own}");
    let desktop = std::fs::read_to_string(daemon.home.path("home/desktop")).expect("a file");
    assert!(desktop.contains("drover can reach you"), "{desktop}");
    assert_eq!(
        daemon.home.drover(&["notify", "test", "nosuch"]).code,
        Some(1)
    );
    assert_eq!(
        daemon.home.drover(&["notify", "test", "phone"]).code,
        Some(0)
    );
    // Longer than the test needs on any machine, and not used up.
    assert!(PATIENCE > Duration::from_secs(5));
}
