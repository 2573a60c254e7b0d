"""Files of the deployment: in a folder (file:///path) or in S3 (s3://bucket/prefix). The only module that speaks to S3."""

import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from prospector.errors import EnvironmentInvalid, ServerUnreachable

CONNECT_SECONDS = 5
READ_SECONDS = 30


def round_trip(url: str) -> None:
    """Writes, reads and deletes one small file: proof that the storage can be used."""
    name, content = f".check-{secrets.token_hex(8)}", secrets.token_bytes(64)
    if urlsplit(url).scheme == "s3":
        _round_trip_in_bucket(url, name, content)
    else:
        _round_trip_in_folder(Path(unquote(urlsplit(url).path)), name, content)


def _round_trip_in_folder(folder: Path, name: str, content: bytes) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        same = (folder / name).read_bytes() == content
        (folder / name).unlink()
    except OSError as error:
        raise EnvironmentInvalid(
            f"Files cannot be kept in {folder}: {error.strerror}.",
            "Make it writable and give it space, or change STORAGE_URL.",
        ) from error
    if not same:
        raise _changed(str(folder))


def _round_trip_in_bucket(url: str, name: str, content: bytes) -> None:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    bucket, key = urlsplit(url).netloc, f"{urlsplit(url).path.strip('/')}/{name}".lstrip("/")
    patience = Config(connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, retries={"total_max_attempts": 2})
    try:
        client: Any = boto3.client("s3", config=patience)
        client.put_object(Bucket=bucket, Key=key, Body=content)
        same = client.get_object(Bucket=bucket, Key=key)["Body"].read() == content
        client.delete_object(Bucket=bucket, Key=key)
    except ClientError as error:
        raise EnvironmentInvalid(
            f"S3 refuses {error.operation_name} in {url}: {error.response['Error'].get('Message', error)}",
            "The credentials need GetObject, PutObject and DeleteObject on that prefix (see STORAGE_URL).",
        ) from error
    except BotoCoreError as error:
        raise ServerUnreachable(
            f"S3 cannot be reached for {url}: {error}",
            "Check the network, the credentials of AWS and AWS_ENDPOINT_URL.",
        ) from error
    if not same:
        raise _changed(url)


def _changed(place: str) -> EnvironmentInvalid:
    return EnvironmentInvalid(
        f"What was written to {place} came back changed.", "Check that storage before you trust it."
    )
