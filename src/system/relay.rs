//! Forwards one request to a server on this machine, and returns the complete response.
//!
//! Only loopback, only plain HTTP/1.1, bounded in size and time.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::loopback::{ReceivedRequest, Reply};

/// Largest answer, in bytes.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;
/// Time limit for one step.
const PATIENCE: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_millis(500);
/// Hop-by-hop headers.
const OF_CONNECTION: &[&str] = &["connection", "transfer-encoding", "content-length", "keep-alive"];

/// True if a server listens on a port of this machine.
#[must_use]
pub fn listens(port: u16) -> bool {
    TcpStream::connect_timeout(&address(port), CONNECT).is_ok()
}

/// Forwards a request.
///
/// # Errors
/// If there is no complete response.
pub fn forward(port: u16, request: &ReceivedRequest) -> io::Result<Reply> {
    let mut stream = TcpStream::connect_timeout(&address(port), CONNECT)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.target);
    for (name, value) in &request.headers {
        if !is_of_connection(name) && !name.eq_ignore_ascii_case("host") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str(&format!("Host: 127.0.0.1:{port}\r\nConnection: close\r\n"));
    head.push_str(&format!("Content-Length: {}\r\n\r\n", request.body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(&request.body)?;
    let mut bytes = Vec::new();
    // A truncated response is returned as far as it was received.
    if let Err(error) = stream.take(MAX_ANSWER).read_to_end(&mut bytes)
        && bytes.is_empty()
    {
        return Err(error);
    }
    parse(&bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is not an HTTP response"))
}

fn address(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

fn is_of_connection(name: &str) -> bool {
    OF_CONNECTION.iter().any(|each| name.eq_ignore_ascii_case(each))
}

fn parse(bytes: &[u8]) -> Option<Reply> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let is_chunked = headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked")
    });
    let rest = &bytes[end + 4..];
    let body = if is_chunked { joined(rest) } else { rest.to_vec() };
    let headers = headers.into_iter().filter(|(name, _)| !is_of_connection(name)).collect();
    Some(Reply { status, headers, body, ..Reply::default() })
}

/// The complete chunks of a body.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = String::from_utf8_lossy(&rest[..end]);
        let size = size.split(';').next().unwrap_or_default().trim().to_owned();
        let Ok(size @ 1..) = usize::from_str_radix(&size, 16) else { break };
        let start = end + 2;
        let Some(chunk) = start.checked_add(size).and_then(|stop| rest.get(start..stop)) else {
            break;
        };
        body.extend_from_slice(chunk);
        rest = rest.get(start + size + 2..).unwrap_or_default();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_answer_is_joined_and_a_broken_chunk_is_left_out() {
        let reply = parse(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n9\r\nf",
        );
        let reply = reply.unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (200, b"abcde".as_slice()));
        assert_eq!(reply.headers, [("X-A".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn a_malformed_response_is_not_parsed() {
        assert!(parse(b"").is_none());
        assert!(parse(b"hello\r\n\r\n").is_none());
        assert_eq!(joined(b"ffffffffffffffff\r\nabc"), b"");
    }
}
