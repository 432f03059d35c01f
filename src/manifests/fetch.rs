//! One file over HTTP, within limits of size and time.

use std::time::{Duration, Instant};

use ureq::Agent;

/// Redirects that are followed; a catalog that has moved needs one or two.
const MAX_REDIRECTS: u32 = 4;

/// Time for one file, connecting and redirects included.
const ONE_FILE: Duration = Duration::from_secs(10);

/// Fetches files until a time for all of them is over.
pub struct Fetcher {
    agent: Agent,
    deadline: Instant,
}

impl Fetcher {
    /// For files that are all to come within `time`. `https` keeps redirects from leading to where
    /// anybody could change what comes.
    pub fn new(https: bool, time: Duration) -> Fetcher {
        let config = Agent::config_builder()
            .https_only(https)
            .max_redirects(MAX_REDIRECTS)
            .user_agent(concat!("drover/", env!("CARGO_PKG_VERSION")))
            .build();
        Fetcher {
            agent: config.new_agent(),
            deadline: Instant::now() + time,
        }
    }

    /// The text at `address`, of `limit` bytes at most.
    ///
    /// # Errors
    /// Why it did not come, in one line.
    pub fn get(&self, address: &str, limit: u64) -> Result<String, String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("there was no time left".to_owned());
        }
        let failed = |error: ureq::Error| format!("{address}: {error}");
        let mut response = self
            .agent
            .get(address)
            .config()
            .timeout_global(Some(ONE_FILE.min(left)))
            .build()
            .call()
            .map_err(failed)?;
        let body = response.body_mut().with_config().limit(limit);
        let bytes = body.read_to_vec().map_err(failed)?;
        String::from_utf8(bytes).map_err(|_| format!("{address}: it is no text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    /// Serves one connection after the other with `answer` until the listener's thread is let go of.
    fn serve(answer: impl Fn(&mut TcpStream, &str) + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/file", listener.local_addr().unwrap());
        thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut head = String::new();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
                answer(&mut stream, &head);
            }
        });
        address
    }

    fn get(address: &str, limit: u64) -> Result<String, String> {
        Fetcher::new(false, Duration::from_millis(500)).get(address, limit)
    }

    fn ok(body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
    }

    #[test]
    fn a_file_comes_whole_and_a_longer_one_than_allowed_not_at_all() {
        let address = serve(|stream, head| {
            assert!(head.starts_with("GET /file HTTP/1.1\r\n"), "{head}");
            stream.write_all(ok("0123456789").as_bytes()).unwrap();
        });
        assert_eq!(get(&address, 10).unwrap(), "0123456789");
        assert!(get(&address, 9).unwrap_err().starts_with(&address));
        // One that does not say how long it is.
        let address = serve(|stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[b'x'; 1024]).is_ok() {}
        });
        assert!(get(&address, 4096).is_err());
    }

    #[test]
    fn silence_and_drops_end_in_an_error_within_the_time() {
        let began = Instant::now();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", silent.local_addr().unwrap());
        assert!(get(&address, 10).is_err());
        // One byte now and then keeps no time limit away.
        let address = serve(|stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                thread::park_timeout(Duration::from_millis(20));
            }
        });
        assert!(get(&address, 100_000).is_err());
        assert!(
            began.elapsed() < Duration::from_secs(8),
            "{:?}",
            began.elapsed()
        );
        let address = serve(|_, _| {});
        assert!(get(&address, 10).is_err());
        let spent = Fetcher::new(false, Duration::ZERO);
        assert_eq!(
            spent.get(&address, 10).unwrap_err(),
            "there was no time left"
        );
    }

    #[test]
    fn what_the_host_refuses_or_garbles_is_an_error() {
        let address = serve(|stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
        });
        assert!(get(&address, 10).unwrap_err().contains("500"));
        let address = serve(|stream, _| {
            let _ = stream.write_all(b"\xff\xfe nonsense\r\n\r\n");
        });
        assert!(get(&address, 10).is_err());
        let address = serve(|stream, _| {
            let body = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n\xff\xfe";
            let _ = stream.write_all(body);
        });
        assert!(get(&address, 10).unwrap_err().ends_with("it is no text"));
    }

    #[test]
    fn redirects_are_followed_a_few_times_and_never_away_from_https() {
        let address = serve(|stream, head| {
            let body = if head.starts_with("GET /file ") {
                "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .to_owned()
            } else {
                ok("there")
            };
            let _ = stream.write_all(body.as_bytes());
        });
        assert_eq!(get(&address, 10).unwrap(), "there");
        let address = serve(|stream, _| {
            let round = "HTTP/1.1 302 Found\r\nLocation: /file\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(round.as_bytes());
        });
        assert!(get(&address, 10).is_err());
        let strict = Fetcher::new(true, Duration::from_millis(500));
        assert!(
            strict.get(&address, 10).is_err(),
            "plain http where https was asked"
        );
    }
}
