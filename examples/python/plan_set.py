"""Code under test: plans a screenshot set, and retries a request where that costs nothing."""

import json
import time
import urllib.error
import urllib.request


class Service:
    def __init__(self, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key

    def call(self, method, path, body=None):
        headers = {"x-api-key": self.api_key, "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def plan_set(self, ios_url, device, count=5):
        app = self.call("POST", "/public/v1/apps", {"iosUrl": ios_url})
        accepted = self.call(
            "POST", "/public/v1/screenshots", {"appId": app["appId"], "device": device, "count": count}
        )
        while True:
            job = self.look(accepted["jobId"])
            if job["status"] in ("succeeded", "failed"):
                return job
            time.sleep(0.05)

    def look(self, job_id, attempts=3):
        for attempt in range(attempts):
            try:
                return self.call("GET", f"/public/v1/jobs/{job_id}")
            except urllib.error.HTTPError as error:
                if error.code < 500 or attempt == attempts - 1:
                    raise
