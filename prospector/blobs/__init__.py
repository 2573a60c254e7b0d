"""Files of a deployment, in a folder or in S3: whole or absent, private, and handed out by links that end.

A file is seen by others from `commit` on, never before. What a killed process leaves behind has no name that anybody
lists, and `sweep` removes it.
"""

import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from prospector.blobs.files import LONGEST_LINK_SECONDS, Blob, Storage, WriteLost, Writer
from prospector.blobs.folder import Folder
from prospector.errors import EnvironmentInvalid, InputInvalid

__all__ = ["LONGEST_LINK_SECONDS", "Blob", "Storage", "WriteLost", "Writer", "round_trip", "storage"]

CHECK_BYTES = 64


def storage(url: str, endpoint_url: str | None = None) -> Storage:
    """`file:///folder` or `s3://bucket/prefix`; `endpoint_url` for an S3 that is not Amazon's."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path:
        return Folder(Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc:
        from prospector.blobs.s3 import S3, s3_client

        return S3(s3_client(endpoint_url), parts.netloc, parts.path.strip("/"))
    raise InputInvalid(f"{url!r} names no storage.", "Give file:///folder or s3://bucket/prefix.")


def round_trip(url: str, endpoint_url: str | None = None) -> None:
    """Writes, reads and deletes one small file: proof that the storage can be used."""
    used, key, content = storage(url, endpoint_url), f".check-{secrets.token_hex(8)}", secrets.token_bytes(CHECK_BYTES)
    with used.writer(key, "check", "application/octet-stream") as writer:
        writer.write(content)
        writer.commit()
    try:
        same = b"".join(used.read(key)) == content
    finally:
        used.delete(key)
    if not same:
        raise EnvironmentInvalid(
            f"What was written to {url} came back changed.", "Check that storage before you trust it."
        )
