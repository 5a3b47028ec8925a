"""An account of the mock, for one worker of a test suite, through the mock's control API."""

import json
import os
import urllib.request
from urllib.parse import urlencode, urljoin

BASE_URL = os.environ["SCREENSHOT_SETS_BASE_URL"]


def control(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {} if body is None else {"content-type": "application/json"}
    request = urllib.request.Request(urljoin(BASE_URL, f"/_mock/{path}"), data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        text = response.read()
        return json.loads(text) if text else None


class MockAccount:
    def __init__(self, **options):
        opened = control("POST", "accounts", options)
        self.id, self.api_key = opened["id"], opened["key"]

    def reset(self):
        """The account as it began: its credits, jobs, faults and requests. Others stay."""
        control("POST", f"accounts/{self.id}/reset")

    def fault(self, fault, **options):
        control("POST", "faults", {"fault": fault, "account": self.id, **options})

    def next_job(self, **plan):
        control("POST", f"accounts/{self.id}/next-job", plan)

    def requests(self, **filters):
        return control("GET", "requests?" + urlencode({"account": self.id, **filters}))["requests"]

    def set_credits(self, remaining):
        control("PATCH", f"accounts/{self.id}", {"remaining": remaining})

    def used(self):
        accounts = control("GET", "state")["accounts"]
        return next(account["used"] for account in accounts if account["id"] == self.id)
