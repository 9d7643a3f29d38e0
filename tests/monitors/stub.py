"""A local server that speaks enough of the OpenAI and Anthropic APIs to answer as told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Reply:
    """What the server does with one request.

    Attributes:
        verdict: Arguments of the verdict call; None for a text instead.
        text: The text.
        stop: Why the model stopped, in the API's own words; worked out if empty.
        status: The HTTP status.
        wait_s: Seconds before it answers.
        drop: Whether the connection is closed without an answer.
    """

    verdict: dict[str, Any] | None = None
    text: str = ""
    stop: str = ""
    status: int = 200
    wait_s: float = 0.0
    drop: bool = False


@dataclass
class Stub:
    """A running server: its address, and the requests that it got."""

    address: str
    replies: Sequence[Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    def take(self, request: dict[str, Any]) -> Reply:
        """The reply to a request; the last one again and again."""
        self.requests.append(request)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


@contextmanager
def serving(*replies: Reply) -> Iterator[Stub]:
    """A server on loopback that gives these replies in turn."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    stub = Stub(f"http://127.0.0.1:{server.server_port}", replies)
    server.stub = stub  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: tests are quiet."""

    def do_POST(self) -> None:
        """Answer one request."""
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        if isinstance(request.get("input"), str):  # Inspect tries the Responses API out first
            self._send(200, _response(request, Reply(text="hello")))
            return
        reply = stub.take({"path": self.path, **request})
        if reply.wait_s:
            stub.closing.wait(reply.wait_s)
        if reply.drop or stub.closing.is_set():
            self.close_connection = True
            return
        if reply.status != 200:
            self._send(reply.status, _error(reply.status))
        elif self.path.endswith("/messages"):
            self._write(200, "text/event-stream", _streamed(_message(request, reply)))
        elif self.path.endswith("/responses"):
            self._send(200, _response(request, reply))
        else:
            self._send(200, _completion(request, reply))

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(body).encode())

    def _write(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _error(status: int) -> dict[str, Any]:
    kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(status, "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": f"status {status}", "code": kind}}


def _completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    stop = reply.stop or "stop"
    if reply.verdict is not None:
        call = {"name": "verdict", "arguments": json.dumps(reply.verdict)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
        stop = reply.stop or "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
        "usage": {
            "prompt_tokens": 900,
            "completion_tokens": 40,
            "total_tokens": 940,
            "prompt_tokens_details": {"cached_tokens": 600},
        },
    }


def _response(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if reply.text:
        kind = "refusal" if reply.stop == "refusal" else "output_text"
        part = {"type": kind, "annotations": [], kind.removeprefix("output_"): reply.text}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        output.append({**message, "content": [part]})
    if reply.verdict is not None:
        call = {"name": "verdict", "arguments": json.dumps(reply.verdict), "call_id": "call_1"}
        output.append({"type": "function_call", "id": "fc_1", "status": "completed", **call})
    cut = reply.stop in ("max_output_tokens", "content_filter")
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": int(time.time()),
        "model": request["model"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": reply.stop} if cut else None,
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 900,
            "output_tokens": 40,
            "total_tokens": 940,
            "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _message(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    if reply.verdict is not None:
        call = {"id": "toolu_1", "name": "verdict", "input": reply.verdict}
        content.append({"type": "tool_use", **call})
    stop = reply.stop or ("tool_use" if reply.verdict is not None else "end_turn")
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 300,
            "output_tokens": 40,
            "cache_read_input_tokens": 600,
            "cache_creation_input_tokens": 0,
        },
    }


def _streamed(message: dict[str, Any]) -> bytes:
    """An Anthropic message as the events of its stream."""
    content = message["content"]
    begun = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(content):
        if block["type"] == "text":
            empty: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 40}},
        {"type": "message_stop"},
    ]
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return "".join(lines).encode()
