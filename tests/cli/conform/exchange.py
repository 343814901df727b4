"""HTTP for the tools that the tests break on purpose. They are started thousands of times, so it loads little."""

MAX_ANSWER = 2_000_000


def quoted(text):
    """Return the text percent-encoded, as a part of a URL."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    return "".join(chr(each) if each in plain else f"%{each:02X}" for each in str(text).encode())


def parts_of(url):
    """Return the host with its port, and the path."""
    host, slash, path = url.partition("://")[2].partition("/")
    return host, slash + path.partition("?")[0]


def exchange(base, method, target, content, headers, limit, *, is_whole=True):
    """Send one request to the address itself, whatever proxy is set.

    Return the status, the headers with lower-case names, and the body. A body that breaks off is a ConnectionError.
    """
    # `socket` and all that uses it take longer to load than the rest of a tool, and most calls need no network.
    import _socket

    host, _ = parts_of(base)
    name, _, port = host.rpartition("@")[2].partition(":")
    body = (content or "").encode()
    head = {"Host": host.rpartition("@")[2], "Connection": "close", "Content-Length": len(body), **headers}
    lines = [f"{method} {target or '/'} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    received = b""
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(limit)
        connection.connect((name, int(port or 80)))
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        while not is_over(received) and (part := connection.recv(65536)):
            received += part
    finally:
        connection.close()
    start, end, text = received.partition(b"\r\n\r\n")
    words = start.split(b" ")
    if not end or len(words) < 2 or not words[1].isdigit():
        raise ConnectionError("half an answer")
    if is_whole and "content-length" in fields(start) and not is_over(received):
        raise ConnectionError("the answer breaks off")
    return int(words[1]), fields(start), text


def fields(start):
    """Return the headers at the start of a response."""
    lines = (line.partition(":") for line in start.decode("latin-1").split("\r\n")[1:])
    return {name.lower(): value.strip() for name, _, value in lines}


def is_over(received):
    """Tell whether a response is complete, or as long as it may be."""
    start, end, text = received.partition(b"\r\n\r\n")
    length = int(fields(start).get("content-length", MAX_ANSWER)) if end else MAX_ANSWER
    return len(text) >= length or len(received) >= MAX_ANSWER
