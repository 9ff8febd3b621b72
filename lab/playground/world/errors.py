"""Discord's refusals: HTTP status, numeric code, text."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """Request refused by Discord's rules.

    Attributes:
        status: HTTP status.
        code: Discord's JSON error code.
        text: Discord's words.
        errors: Field name -> `{"_errors": [...]}`; only for form errors (50035).
    """

    def __init__(self, status: int, code: int, text: str, errors: dict[str, Any] | None = None) -> None:
        super().__init__(f"{status} {code}: {text}")
        self.status = status
        self.code = code
        self.text = text
        self.errors = errors

    def body(self) -> dict[str, Any]:
        """The JSON body of the answer."""
        body: dict[str, Any] = {"message": self.text, "code": self.code}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def invalid_bot_token() -> ApiError:
    """Wrong or missing bot token."""
    return ApiError(401, 0, "401: Unauthorized")


def invalid_webhook_token() -> ApiError:
    """Error for an unknown or expired interaction token."""
    return ApiError(401, 50027, "Invalid Webhook Token")


def unknown_id(what: str, code: int) -> ApiError:
    """Error for an unknown id; Discord has a code for each sort, such as 10003 for channels."""
    return ApiError(404, code, f"Unknown {what}")


def unknown_channel() -> ApiError:
    """Error for a channel unknown or invisible to the bot."""
    return unknown_id("Channel", 10003)


def unknown_message() -> ApiError:
    """Error for an unknown message in a channel."""
    return unknown_id("Message", 10008)


def empty_message() -> ApiError:
    """Neither text nor embed nor file nor component."""
    return ApiError(400, 50006, "Cannot send an empty message")


def too_large() -> ApiError:
    """A file above 10 MiB or a request above 25 MiB."""
    return ApiError(413, 40005, "Request entity too large")


def invalid_form(field: str, code: str, text: str) -> ApiError:
    """Error for a field that breaks a rule; `field` may be a dotted path such as `embeds.0.title`."""
    leaf: dict[str, Any] = {"_errors": [{"code": code, "message": text}]}
    for part in reversed(field.split(".")):
        leaf = {part: leaf}
    return ApiError(400, 50035, "Invalid Form Body", leaf)
