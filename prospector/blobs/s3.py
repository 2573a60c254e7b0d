"""A prefix of an S3 bucket as a storage: uploads in parts, which S3 shows to nobody before they are complete."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import quote

from prospector.blobs.files import LONGEST_LINK_SECONDS, READ_BYTES, Blob, UntilCommit, WriteLost, Writer, missing
from prospector.errors import CredentialsRejected, NotFound, ProspectorError, ServerUnreachable

T = TypeVar("T")
PART_BYTES = 5 * 2**20  # the least that S3 takes; 10,000 of them are 50 GB
CONNECT_SECONDS = 10
ANSWER_SECONDS = 60
S3_TRIES = 8  # botocore pauses for up to 50 ms, then twice as long each time: some three seconds in all


def s3_client(endpoint_url: str | None) -> Any:
    """With the credentials that boto3 finds: AWS_ACCESS_KEY_ID and its like, a profile, or the machine's role."""
    import boto3
    from botocore.config import Config

    config = Config(
        signature_version="s3v4",
        retries={"mode": "standard", "max_attempts": S3_TRIES},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        # other makers' servers have one name for all buckets
        s3={"addressing_style": "path" if endpoint_url else "auto"},
    )
    # a session of its own: the common one is not safe to share between threads, and keeps the first keys it ever saw
    return boto3.Session().client("s3", endpoint_url=endpoint_url, config=config)


class S3:
    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self._client, self._bucket = client, bucket
        self._prefix = f"{prefix}/" if prefix else ""

    @property
    def url(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def writer(self, key: str, file_name: str, content_type: str) -> Writer:
        return S3Writer(self._client, self._bucket, self._prefix + key, file_name, content_type)

    def link(self, key: str, seconds: int = LONGEST_LINK_SECONDS) -> str:
        wanted = {"Bucket": self._bucket, "Key": self._prefix + key}
        sign = self._client.generate_presigned_url
        signed: str = in_our_words(key, lambda: sign("get_object", Params=wanted, ExpiresIn=seconds))
        return signed

    def read(self, key: str) -> Iterator[bytes]:
        found = in_our_words(key, lambda: self._client.get_object(Bucket=self._bucket, Key=self._prefix + key))
        with found["Body"] as body:
            while data := in_our_words(key, lambda: body.read(READ_BYTES)):
                yield data

    def delete(self, key: str) -> None:
        in_our_words(key, lambda: self._client.delete_object(Bucket=self._bucket, Key=self._prefix + key))

    def listed(self, prefix: str) -> Iterator[Blob]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix + prefix
        )
        for page in _each(prefix, iter(pages)):
            for found in page.get("Contents", ()):
                yield Blob(found["Key"].removeprefix(self._prefix), found["Size"], found["LastModified"])

    def sweep(self, prefix: str, before: datetime | None = None) -> int:
        wanted = self._prefix + prefix
        pages = self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket, Prefix=wanted)
        found = [one for page in _each(prefix, iter(pages)) for one in page.get("Uploads", ())]
        left = [one for one in found if before is None or one["Initiated"] < before]
        for one in left:
            self._abort(one["Key"], one["UploadId"])
        return len(left)

    def _abort(self, key: str, upload: str) -> None:
        with suppress(WriteLost):
            in_our_words(
                key, lambda: self._client.abort_multipart_upload(Bucket=self._bucket, Key=key, UploadId=upload)
            )


class S3Writer(UntilCommit):
    """One part in memory at a time; a file of less than one part is a single request."""

    def __init__(self, client: Any, bucket: str, key: str, file_name: str, content_type: str) -> None:
        self._client, self._bucket, self._key = client, bucket, key
        self._facts = {"ContentType": content_type, "ContentDisposition": disposition(file_name)}
        self._buffer = bytearray()
        self._upload: str | None = None
        self._parts: list[dict[str, object]] = []
        self.size_bytes = 0

    def write(self, data: bytes) -> None:
        self._buffer += data
        self.size_bytes += len(data)
        if len(self._buffer) >= PART_BYTES:
            self._send()

    def commit(self) -> None:
        if self._upload is None:
            body = bytes(self._buffer)
            in_our_words(self._key, lambda: self._client.put_object(**self._where(), Body=body, **self._facts))
            return
        if self._buffer:
            self._send()
        try:
            in_our_words(self._key, self._complete)
        except WriteLost:
            # the answer to an earlier try was lost on its way: the upload is gone because it is complete
            if self._size_there() != self.size_bytes:
                raise
        self._upload = None

    def abort(self) -> None:
        upload, self._upload = self._upload, None
        if upload is not None:
            with suppress(WriteLost):
                in_our_words(self._key, lambda: self._client.abort_multipart_upload(**self._where(), UploadId=upload))

    def _send(self) -> None:
        if self._upload is None:
            begun = in_our_words(
                self._key, lambda: self._client.create_multipart_upload(**self._where(), **self._facts)
            )
            self._upload = begun["UploadId"]
        body, self._buffer = self._buffer, bytearray()
        number, upload = len(self._parts) + 1, self._upload
        sent = in_our_words(
            self._key,
            lambda: self._client.upload_part(**self._where(), UploadId=upload, PartNumber=number, Body=body),
        )
        self._parts.append({"ETag": sent["ETag"], "PartNumber": number})

    def _complete(self) -> None:
        assert self._upload
        parts = {"Parts": self._parts}
        self._client.complete_multipart_upload(**self._where(), UploadId=self._upload, MultipartUpload=parts)

    def _size_there(self) -> int | None:
        with suppress(NotFound):
            size_bytes: int = in_our_words(self._key, lambda: self._client.head_object(**self._where()))[
                "ContentLength"
            ]
            return size_bytes
        return None

    def _where(self) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._key}


def disposition(file_name: str) -> str:
    """The header that makes a browser save a file under a name: plain for the old, RFC 8187 for the rest."""
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in file_name
    )
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"


REFUSED = frozenset(
    ["AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "403", "InvalidToken"]
)
ABSENT = frozenset(["NoSuchKey", "404", "NotFound"])


def in_our_words(key: str, call: Callable[[], T]) -> T:
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

    try:
        return call()
    except ClientError as error:
        raise _answered(key, error.response.get("Error", {}).get("Code", ""), error) from error
    except NoCredentialsError as error:
        raise CredentialsRejected(
            "There are no credentials for S3.", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        ) from error
    except (BotoCoreError, OSError) as error:
        words = " ".join(str(error).split())
        raise ServerUnreachable(
            f"S3 does not take {key}: {words}", "Check STORAGE_URL and AWS_ENDPOINT_URL."
        ) from error


def _answered(key: str, code: str, error: Exception) -> ProspectorError:
    if code in REFUSED:
        return CredentialsRejected(
            f"S3 refuses {key} ({code}).", "Check the rights of these credentials on the bucket."
        )
    if code == "NoSuchBucket":
        return NotFound(f"The bucket of {key} does not exist.", "Create it, or correct STORAGE_URL.")
    if code == "NoSuchUpload":
        return WriteLost(key)
    if code in ABSENT:
        return missing(key)
    return ServerUnreachable(f"S3 failed on {key}: {' '.join(str(error).split())}", "Try again.")


def _each(key: str, items: Iterator[T]) -> Iterator[T]:
    end = object()
    while (item := in_our_words(key, lambda: next(items, end))) is not end:
        yield item  # type: ignore[misc]  # `end` is never yielded
