"""Read request bodies, with limits on the size of each and of all together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from elect.service.answers import Answer, problem
from elect.service.limits import ServiceLimits


class Intake:
    """Counts the bytes of all bodies in memory, until their requests are answered."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.most, self.most_of_all = int(limits.megabytes * 1e6), int(limits.in_flight * 1e6)
        self.held = 0

    @asynccontextmanager
    async def reading(self, request: Request) -> AsyncIterator[bytes | Answer]:
        """The body, or an error response."""
        body = bytearray()
        try:
            yield self._refusal(request) or await self._read(request, body)
        finally:
            self.held -= len(body)

    def _refusal(self, request: Request) -> Answer | None:
        """The error response for a request that is rejected before its body is read."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            # Other sites can send forms and text without a CORS preflight, but not JSON.
            return problem(415, "Send JSON, with the header 'Content-Type: application/json'.")
        length = request.headers.get("content-length", "")
        return self._too_large() if length.isdecimal() and int(length[:18]) > self.most else None

    async def _read(self, request: Request, body: bytearray) -> bytes | Answer:
        try:
            async with asyncio.timeout(self.limits.wait):
                async for chunk in request.stream():
                    body += chunk
                    self.held += len(chunk)
                    if len(body) > self.most:
                        return self._too_large()
                    if self.held > self.most_of_all:
                        return problem(429, "Too many large requests; try again soon.", 1)
        except (TimeoutError, ClientDisconnect):
            return problem(408, "The body did not arrive in time; send it again.")
        return bytes(body)

    def _too_large(self) -> Answer:
        most = f"{self.limits.megabytes:g} megabytes"
        return problem(413, f"The body is larger than {most}; send fewer ballots at a time.")
