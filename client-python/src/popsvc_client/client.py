from __future__ import annotations

import os
import time
import uuid
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from .generated.operations import Operations
from .transport import ApiKey, Download, Token, Transport

Ids = Union[int, Sequence[int]]
Row = Dict[str, Any]
Items = Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]

_MAX_PAGE = 5_000
_UPLOAD_TIMEOUT = 1_800.0
_FIRST_POLL, _LONGEST_POLL = 0.5, 5.0


def _checked_url(url: str, name: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError(f"{name} must be an http or https URL without user name and password")
    return url.rstrip("/")


class Client(Operations):
    """A client for a partner (client_id and client_secret) or a vendor (api_key).

    base_url: the reporting service, for reports. ingest_url: the ingestion service, for plays and files. token_url: the token
    endpoint, by default /oauth/token of base_url. timeout: seconds without any data. retry_timeout: seconds for which requests
    are retried while the service is unavailable or asks to retry later.

    The methods of `Operations` call single endpoints. The methods here read pages, write files and send lists.
    """

    def __init__(
        self,
        *,
        base_url: Optional[str] = None,
        ingest_url: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        api_key: Optional[str] = None,
        token_url: Optional[str] = None,
        timeout: float = 120.0,
        retry_timeout: float = 60.0,
    ) -> None:
        self._urls = {"base_url": base_url, "ingest_url": ingest_url}
        for name, url in (*self._urls.items(), ("token_url", token_url)):
            if url is not None:
                _checked_url(url, name)
        self._transport = Transport(timeout, retry_timeout)
        if api_key is not None:
            self._transport.credential = ApiKey(api_key)
        elif client_id and client_secret:
            address: Callable[[], str] = lambda: token_url or f"{self._base_url()}/oauth/token"
            self._transport.credential = Token(address, client_id, client_secret, self._transport)
        else:
            raise ValueError("Client needs a client_id and a client_secret, or an api_key")

    def _url(self, name: str) -> str:
        url = self._urls[name]
        if url is None:
            raise ValueError(f"this call needs {name}; pass it to Client")
        return _checked_url(url, name)

    def _base_url(self) -> str:
        return self._url("base_url")

    def _ingest_url(self) -> str:
        return self._url("ingest_url")

    def coffee(
        self,
        from_: str,
        to: str,
        *,
        site_id: Optional[Ids] = None,
        network: Optional[str] = None,
        limit: int = _MAX_PAGE,
        sort: str = "asc",
        as_of: Optional[str] = None,
    ) -> Iterator[Row]:
        """Yields the rows of the coffee report, page by page. limit: rows of a page. as_of: reads the rows as they were at this time."""
        options = {"site_id": site_id, "network": network, "limit": limit, "sort": sort, "as_of": as_of}
        return _rows(self.get_coffee, from_, to, **options)

    def watcher_summary(
        self,
        from_: str,
        to: str,
        *,
        site_id: Optional[Ids] = None,
        network: Optional[str] = None,
        limit: int = _MAX_PAGE,
        sort: str = "asc",
        as_of: Optional[str] = None,
    ) -> Iterator[Row]:
        """Yields the rows of the watcher summary, page by page. limit: rows of a page. as_of: reads the rows as they were at this time."""
        options = {"site_id": site_id, "network": network, "limit": limit, "sort": sort, "as_of": as_of}
        return _rows(self.get_watcher_summary, from_, to, **options)

    def save(self, download: Download, path: Union[str, "os.PathLike[str]"]) -> int:
        """Writes a download to a file atomically and returns its size in bytes.

        For example: client.save(client.download_coffee(from_, to, format="parquet"), "coffee.parquet")
        """
        partial = f"{os.fspath(path)}.{uuid.uuid4()}.part"
        size = 0
        try:
            with download, open(partial, "xb") as file:
                for piece in download:
                    size += file.write(piece)
                file.flush()
                # Without this sync, a power failure could leave an empty file under the final name.
                os.fsync(file.fileno())
            os.replace(partial, path)
        finally:
            if os.path.exists(partial):
                os.remove(partial)
        return size

    def record_plays(self, events: Sequence[Mapping[str, Any]], **options: Any) -> Any:
        """Sends 1 to 1,000 plays, all or nothing. Options: idempotency_key, validate_only."""
        return self.record_pop_events({"events": list(events)}, **options)

    def record_dynamic(self, schema_version: str, events: Sequence[Mapping[str, Any]], **options: Any) -> Any:
        """Sends events in the vendor's own schema. Options: idempotency_key, validate_only."""
        return self.record_dynamic_pop({"schemaVersion": schema_version, "events": list(events)}, **options)

    def record_detections(self, body: Items, **options: Any) -> Any:
        """Sends a list of detections, or a body with them, all or nothing. Options: idempotency_key, validate_only."""
        return super().record_detections(_body("detections", body), **options)

    def record_heartbeats(self, body: Items, **options: Any) -> Any:
        """Sends a list of heartbeats, or a body with them, all or nothing. Options: idempotency_key, validate_only."""
        return super().record_heartbeats(_body("heartbeats", body), **options)

    def record_intervals(self, body: Items, **options: Any) -> Any:
        """Sends a list of intervals, or a body with them, all or nothing. Options: idempotency_key, validate_only."""
        return super().record_intervals(_body("intervals", body), **options)

    def reconcile(
        self,
        from_: str,
        to: str,
        *,
        events: Optional[Sequence[Mapping[str, Any]]] = None,
        counts: Optional[Sequence[Mapping[str, Any]]] = None,
    ) -> Any:
        """Compares the plays of a window with the stored ones.

        events: {"eventId", "contentHash"?} of each play, with `content_hash(play)`. counts: {"screenId", "hour", "count"}.
        """
        kind = {"events": list(events)} if events is not None else {"counts": list(counts or ())}
        return self.reconcile_plays({"from": from_, "to": to, **kind})["data"]

    def upload_file(
        self,
        path: Union[str, "os.PathLike[str]"],
        format: str,
        *,
        file_name: Optional[str] = None,
        content_encoding: Optional[str] = None,
    ) -> str:
        """Uploads a file and returns its id. content_encoding: gzip or zstd if the file is compressed; not for an S3 bucket."""
        size = os.stat(path).st_size
        target = self.request_upload({"fileName": file_name or os.path.basename(path), "format": format})
        headers = {"Content-Type": target["contentType"], "Content-Length": str(size)}
        if content_encoding is not None:
            headers["Content-Encoding"] = content_encoding
        self._transport.upload(target["uploadUrl"], headers, lambda: open(path, "rb"), _UPLOAD_TIMEOUT)
        return target["fileId"]

    def wait_for_job(self, job_id: str) -> Any:
        """Polls a bulk job until it has ended, successfully or not, and returns it."""
        pause = _FIRST_POLL
        while True:
            job = self.get_bulk_job(job_id)
            if job["status"] not in ("queued", "processing"):
                return job
            time.sleep(pause)
            pause = min(_LONGEST_POLL, pause * 1.5)

    def ingest_file(
        self,
        path: Union[str, "os.PathLike[str]"],
        format: str,
        schema_version: str,
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        content_encoding: Optional[str] = None,
    ) -> Any:
        """Uploads a file, starts its job, waits until the job has ended and returns it."""
        file_id = self.upload_file(path, format, content_encoding=content_encoding)
        body: Dict[str, Any] = {"fileId": file_id, "schemaVersion": schema_version}
        if metadata is not None:
            body["metadata"] = dict(metadata)
        return self.wait_for_job(self.start_bulk_ingest(body)["jobId"])


def _body(name: str, items: Items) -> Mapping[str, Any]:
    return items if isinstance(items, Mapping) else {name: list(items)}


def _rows(read_page: Callable[..., Any], from_: str, to: str, **options: Any) -> Iterator[Row]:
    after: Optional[str] = None
    while True:
        data = read_page(from_, to, after=after, **options)["data"]
        yield from data["rows"]
        after = data["next_after"]
        if after is None:
            return
