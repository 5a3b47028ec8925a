import unittest
import urllib.error

from mock_account import BASE_URL, MockAccount
from plan_set import Service

LISTING = "https://apps.apple.com/us/app/example/id1234567890"


class PlanSetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.account = MockAccount()
        cls.service = Service(BASE_URL, cls.account.api_key)

    def setUp(self):
        self.account.reset()

    def test_returns_the_slides(self):
        job = self.service.plan_set(LISTING, "iphone-69", count=3)
        self.assertEqual(len(job["result"]["slides"]), 3)
        self.assertEqual(len(self.account.requests(operation="createScreenshots")), 1)

    def test_reports_a_failed_job(self):
        self.account.next_job(outcome="failed", error={"message": "no screenshots found"})
        self.assertEqual(self.service.plan_set(LISTING, "iphone-69")["status"], "failed")

    def test_looks_again_after_a_503(self):
        self.account.fault({"status": 503}, operation="getJob", times=2)
        self.assertEqual(self.service.plan_set(LISTING, "iphone-69")["status"], "succeeded")
        self.assertEqual(len(self.account.requests(operation="getJob", status="503")), 2)

    def test_is_refused_once_the_credits_are_used(self):
        self.account.set_credits(0)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.service.plan_set(LISTING, "iphone-69")
        self.assertEqual(refused.exception.code, 402)


if __name__ == "__main__":
    unittest.main()
