from __future__ import annotations

import json
import random
import threading
import time
import uuid
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any, BinaryIO, Callable, Dict, Iterator, Mapping, Optional
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import ConnectionFailed, ServiceError

_RETRYABLE = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 15.0
_MIN_REMAINING = 30.0
_PIECE = 65_536


class _NoRedirects(HTTPRedirectHandler):
    """urllib would send the credential to the target of a redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def _retry_after(text: Optional[str]) -> Optional[float]:
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _service_error(error: HTTPError) -> ServiceError:
    try:
        body = json.loads(error.read())
    except (ValueError, OSError, HTTPException):
        body = {}
    body = body if isinstance(body, dict) else {}
    found = body.get("error")
    # The token endpoint answers with OAuth errors, whose `error` is the code.
    fields: Dict[str, Any] = found if isinstance(found, dict) else {"code": found}
    return ServiceError(
        error.code,
        fields.get("code") or "HTTP_ERROR",
        body.get("message") or body.get("error_description") or str(error.reason),
        fields.get("details") or (),
        body.get("request_id") or error.headers.get("X-Request-Id"),
        _retry_after(error.headers.get("Retry-After")),
    )


def _is_retryable(error: Exception) -> bool:
    if isinstance(error, ConnectionFailed):
        return True
    if not isinstance(error, ServiceError):
        return False
    return error.status in _RETRYABLE or (error.status == 409 and error.retry_after is not None)


class Download:
    """A response that is read while it arrives. Close it, or use it in a `with` statement."""

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self._left = int(response.headers["Content-Length"]) if response.headers["Content-Length"] else None
        self.media_type = response.headers.get_content_type()
        #: Name that the service gives the file.
        self.file_name = response.headers.get_filename()
        #: Time up to which everything received is in the file; None while that is not known.
        self.as_of = response.headers.get("X-Data-As-Of")
        #: Of a file of changes: the cursor for the next file, and whether that file already has changes.
        self.next_since = response.headers.get("X-Next-Since")
        self.has_more = response.headers.get("X-Has-More") == "true"

    def __iter__(self) -> Iterator[bytes]:
        """Yields the content. Raises ConnectionFailed if it ends too early."""
        try:
            while True:
                piece = self._response.read(_PIECE)
                if not piece:
                    break
                if self._left is not None:
                    self._left -= len(piece)
                yield piece
        except (OSError, HTTPException) as error:
            raise ConnectionFailed("the response was interrupted") from error
        # http.client reports no error if a body that is read in pieces is shorter than its Content-Length.
        if self._left:
            raise ConnectionFailed("the response ended too early")

    def read(self) -> bytes:
        return b"".join(self)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> "Download":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class ApiKey:
    def __init__(self, key: str) -> None:
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable() or any(sign in key for sign in " '\""):
            raise ValueError("api_key contains invalid characters; check it for spaces, quotes or line breaks")
        self._headers = {"X-API-Key": key}

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def refused(self, _: Mapping[str, str]) -> bool:
        return False


class Token:
    """An access token of the client credentials grant, renewed shortly before it expires."""

    def __init__(self, url: Callable[[], str], client_id: str, client_secret: str, transport: "Transport") -> None:
        self._url = url
        self._form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        self._transport = transport
        self._lock = threading.Lock()
        self._headers: Dict[str, str] = {}
        self._expires_at = 0.0

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            if not self._headers or self._expires_at - time.monotonic() < _MIN_REMAINING:
                requested_at = time.monotonic()
                body = urlencode(self._form).encode()
                response = self._transport.retry(lambda: self._transport.send("POST", self._url(), {}, lambda: body))
                with response:
                    token = json.loads(response.read())
                self._headers = {"Authorization": f"Bearer {token['access_token']}"}
                self._expires_at = requested_at + float(token["expires_in"])
            return self._headers

    def refused(self, headers: Mapping[str, str]) -> bool:
        with self._lock:
            if self._headers is headers:
                self._headers = {}
        return True


class Transport:
    """Sends requests with a credential, and repeats them after failures that may be temporary."""

    def __init__(self, timeout: float, retry_timeout: float) -> None:
        self._timeout = timeout
        self._retry_timeout = retry_timeout
        self.credential: Any = None

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[Callable[[], Any]] = None,
        timeout: Optional[float] = None,
    ) -> Download:
        """Sends a request once. `body` makes the body, because a stream can be sent only once."""
        content = body() if body else None
        request = Request(url, content, {"Accept": "*/*", **headers}, method=method)
        try:
            return Download(_opener.open(request, timeout=timeout or self._timeout))
        except HTTPError as error:
            with error:
                raise _service_error(error) from None
        except (OSError, HTTPException) as error:
            raise ConnectionFailed(f"{request.host} does not answer") from error
        finally:
            if hasattr(content, "close"):
                content.close()

    def retry(self, attempt: Callable[[], Any]) -> Any:
        until = time.monotonic() + self._retry_timeout
        backoff = _FIRST_PAUSE
        while True:
            try:
                return attempt()
            except (ServiceError, ConnectionFailed) as error:
                if not _is_retryable(error):
                    raise
                requested = error.retry_after if isinstance(error, ServiceError) else None
                jitter = random.random()
                pause = backoff * (0.5 + jitter / 2) if requested is None else requested + jitter / 4
                if time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
            backoff = min(_LONGEST_PAUSE, backoff * 2)

    def _send_with_credential(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[Callable[[], Any]]
    ) -> Download:
        credential = self.credential.headers()
        try:
            return self.send(method, url, {**headers, **credential}, body)
        except ServiceError as error:
            # A 401 with details means that the credential has no access to a network or site: a new token would not help.
            if error.status != 401 or error.details or not self.credential.refused(credential):
                raise
        return self.send(method, url, {**headers, **self.credential.headers()}, body)

    def _prepare(
        self,
        method: str,
        base: str,
        path: str,
        *,
        path_fields: Mapping[str, Any],
        query: Mapping[str, Any],
        headers: Mapping[str, Any],
        body: Optional[Mapping[str, Any]] = None,
    ) -> Callable[[], Download]:
        """Returns a function that sends the request, each time with the same idempotency key."""
        for name, value in path_fields.items():
            path = path.replace("{" + name + "}", quote(str(value), safe=""))
        fields = [(name, item) for name, value in query.items() for item in _items(name, value)]
        url = base + path + ("?" + urlencode(fields) if fields else "")
        sent = {name: str(value) for name, value in headers.items() if value is not None}
        if "Idempotency-Key" in headers:
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        if "X-Network-Name" in sent:
            sent["X-Network-Name"] = quote(sent["X-Network-Name"], safe="")
        if body is None:
            return lambda: self._send_with_credential(method, url, sent, None)
        content = json.dumps(body, allow_nan=False).encode()
        sent["Content-Type"] = "application/json"
        return lambda: self._send_with_credential(method, url, sent, lambda: content)

    def open(self, method: str, base: str, path: str, **fields: Any) -> Download:
        """Sends a request and returns the response as soon as it begins."""
        return self.retry(self._prepare(method, base, path, **fields))

    def call(self, method: str, base: str, path: str, **fields: Any) -> Any:
        """Sends a request and returns its response: parsed if it is JSON, else as text."""
        send = self._prepare(method, base, path, **fields)

        def attempt() -> Any:
            with send() as response:
                return response.read(), response.media_type

        # A second request would create another webhook, or another secret of one.
        is_repeatable = method != "POST" or "/webhooks" not in path
        content, media_type = self.retry(attempt) if is_repeatable else attempt()
        return json.loads(content) if media_type == "application/json" else content.decode("utf-8")

    def upload(self, url: str, headers: Mapping[str, str], open_file: Callable[[], BinaryIO], timeout: float) -> None:
        """Sends a file to a signed URL, which is the credential."""

        def attempt() -> None:
            with self.send("PUT", url, headers, open_file, timeout) as response:
                response.read()

        self.retry(attempt)


def _items(name: str, value: Any) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, (list, tuple, set, frozenset)):
        if not value:
            raise ValueError(f"{name} is empty; omit it to request everything")
        for item in value:
            yield from _items(name, item)
    elif isinstance(value, bool):
        yield "true" if value else "false"
    else:
        yield str(value)
