"""Real servers on this machine for tests: HTTP with faults, and S3."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Answer:
    """How the server answers for one path: the file, and what goes wrong with it.

    `fails` is how many requests end in `status`. `announced` is the length that the headers claim, `sent` how many
    bytes of a body are really sent. `stalls` says nothing for so many seconds.
    """

    def __init__(self, body, *, status=500, fails=0, ranges=True, announced=None, sent=None, stalls=0.0, methods=""):
        self.body, self.status, self.fails, self.ranges = body, status, fails, ranges
        self.announced, self.sent, self.stalls, self.methods = announced, sent, stalls, methods
        self.requests = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, *, with_body):
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.fail(404)
            return
        answer.requests += 1
        if answer.stalls and (not answer.methods or self.command in answer.methods):
            self.server.released.wait(answer.stalls)
        if answer.fails > 0 and (not answer.methods or self.command in answer.methods):
            answer.fails -= 1
            self.fail(answer.status)
            return
        self.send_file(answer, with_body)

    def fail(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_file(self, answer, with_body):
        body, whole = answer.body, len(answer.body)
        start, stop, is_range = 0, whole, False
        if answer.ranges and with_body and (wanted := self.headers.get("Range")):
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, stop, is_range = int(first), min(int(last or whole - 1) + 1, whole), True
            if start >= whole:
                self.fail(416)
                return
        body = body[start:stop]
        self.send_response(206 if is_range else 200)
        length = len(body) if answer.announced is None or is_range else answer.announced
        self.send_header("Content-Length", str(length))
        if is_range:
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{whole}")
        self.send_header("Accept-Ranges", "bytes" if answer.ranges else "none")
        self.end_headers()
        if with_body:
            self.wfile.write(body if answer.sent is None else body[: answer.sent])
            self.close_connection = answer.sent is not None


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.released = {}, threading.Event()

    def put(self, name, body, **faults):
        """A file under a name; returns its URL."""
        self.answers[f"/{name}"] = Answer(body, **faults)
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def requests(self, url):
        return self.answers["/" + url.rpartition("/")[2]].requests

    def handle_error(self, request, client_address):
        """A client that has given up is what some tests are about."""


@contextmanager
def http_server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Faults:
    """What goes wrong with objects of S3: how many requests for one fail, and how many bytes of its body are sent."""

    def __init__(self, app):
        self.app, self.fails, self.sent = app, {}, {}

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] != "GET":
            return self.app(environ, start_response)
        if self.fails.get(path, 0) > 0:
            self.fails[path] -= 1
            start_response("500 Internal Server Error", [("Content-Length", "0")])
            return [b""]
        body = self.app(environ, start_response)
        return body if path not in self.sent else [b"".join(body)[: self.sent[path]]]


@contextmanager
def s3_server():
    """Moto's S3 behind faults; gives its address and the faults."""
    import logging

    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    faults = Faults(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, faults, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}", faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
