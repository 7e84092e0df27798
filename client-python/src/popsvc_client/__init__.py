"""Client of a popsvc service. It needs only the standard library."""

from .client import Client
from .content_hash import content_hash
from .errors import ConnectionFailed, ServiceError
from .transport import Download
from .windows import windows

__all__ = ["Client", "ConnectionFailed", "Download", "ServiceError", "content_hash", "windows"]
