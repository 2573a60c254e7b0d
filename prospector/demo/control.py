"""How the demo's servers are told what to do: POST /_control with JSON, GET /_truth, both with the control token."""

import hmac
import http.client
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from prospector.errors import InputInvalid, ServerUnreachable

CONTROL_PATH = "/_control"
TRUTH_PATH = "/_truth"
ANSWER_SECONDS = 30


class ControlInvalid(Exception):
    """A wish nobody can fulfil; its words go back to who asked."""


def control_routes(
    token: str, control: Callable[[object], Awaitable[object]], truth: Callable[[int], Awaitable[object]]
) -> list[web.RouteDef]:
    async def change(request: web.Request) -> web.Response:
        _check(request, token)
        try:
            return web.json_response(await control(await request.json()))
        except (ControlInvalid, json.JSONDecodeError) as error:
            return web.json_response({"message": str(error)}, status=400)

    async def tell(request: web.Request) -> web.Response:
        _check(request, token)
        since = request.query.get("since", "0")
        if not since.isdecimal():
            raise web.HTTPBadRequest(text=f"since: {since!r} is not a number.")
        return web.json_response(await truth(int(since)))

    return [web.post(CONTROL_PATH, change), web.get(TRUTH_PATH, tell)]


def fields_of(wish: object, kinds: Mapping[str, tuple[type, ...]]) -> Mapping[str, Any]:
    """A JSON object whose fields are among `kinds` and of their kind."""
    if not isinstance(wish, dict):
        raise ControlInvalid(f"{wish!r} is not a JSON object.")
    for name, value in wish.items():
        if name not in kinds:
            raise ControlInvalid(f"Unknown field {name!r}. Fields: {', '.join(kinds)}.")
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            raise ControlInvalid(f"{name}: {value!r} is of the wrong kind.")
    return wish


def _check(request: web.Request, token: str) -> None:
    if not hmac.compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
        raise web.HTTPUnauthorized(text="The control token is missing or wrong.")


class Control:
    """The other end: gives orders to a server at `address`, and asks it for the truth."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._token = token

    def control(self, **wishes: object) -> dict[str, Any]:
        return self._ask("POST", CONTROL_PATH, json.dumps(wishes))

    def order(self, fault: str, **bounds: float | str) -> dict[str, Any]:
        return self.control(orders=[{"fault": fault, **bounds}])

    def lift(self, *faults: str) -> dict[str, Any]:
        return self.control(lift=faults)

    def truth(self, since_id: int = 0) -> dict[str, Any]:
        return self._ask("GET", f"{TRUTH_PATH}?since={since_id}", None)

    def _ask(self, verb: str, path: str, body: str | None) -> dict[str, Any]:
        host, _, port = self.address.rpartition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=ANSWER_SECONDS)
        try:
            connection.request(verb, path, body, {"Authorization": f"Bearer {self._token}"})
            response = connection.getresponse()
            words = response.read().decode()
        except OSError as error:
            raise ServerUnreachable(f"The demo's server at {self.address} does not answer: {error}.") from error
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            raise InputInvalid(f"The demo's server at {self.address} refused this ({response.status}): {words}")
        answer: dict[str, Any] = json.loads(words)
        return answer
