from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class ServiceError(Exception):
    """The service answered with an error.

    details: what is wrong with which field or parameter. retry_after: seconds after which the service asks to retry.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Sequence[Mapping[str, Any]] = (),
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{message} ({status} {code}, request {request_id})")
        self.status = status
        self.code = code
        self.message = message
        self.details = list(details)
        self.request_id = request_id
        self.retry_after = retry_after


class ConnectionFailed(Exception):
    """No complete response arrived in time. `__cause__` is the error of the connection, if there was one."""
