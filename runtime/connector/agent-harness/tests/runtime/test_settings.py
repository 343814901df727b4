"""The checks of the test kit notice a setting of api.py that means nothing."""

from importlib import import_module

import pytest
from contract_cases import PACKAGE
from subject import api

settings = import_module(f"{PACKAGE}._runtime.testkit.settings")
RULE = {"is": "auth", "status": [401], "body": {"": ["a"]}, "hint": "h"}
SIGN = {"at": "cut", "equals": True, "reason": "cut", "text": "it is cut"}


def fails(check, *given):
    with pytest.raises(AssertionError):
        check(*given)


@pytest.mark.parametrize("name", RULE)
def test_a_failure_rule_with_a_wrong_name(monkeypatch, name):
    monkeypatch.setattr(api, "FAILURES", [RULE])
    settings.test_a_rule_of_api_has_no_unknown_member()
    renamed = {key + "x" if key == name else key: RULE[key] for key in RULE}
    monkeypatch.setattr(api, "FAILURES", [RULE, renamed])
    fails(settings.test_a_rule_of_api_has_no_unknown_member)
    monkeypatch.setattr(api, "FAILURES", [{**RULE, "is": "no such kind"}])
    fails(settings.test_a_rule_of_api_has_no_unknown_member)


@pytest.mark.parametrize("name", SIGN)
def test_a_sign_with_a_wrong_name(monkeypatch, name):
    monkeypatch.setattr(api, "PARTIAL", [SIGN])
    settings.test_a_rule_of_api_has_no_unknown_member()
    renamed = {key + "x" if key == name else key: SIGN[key] for key in SIGN}
    monkeypatch.setattr(api, "PARTIAL", [renamed])
    fails(settings.test_a_rule_of_api_has_no_unknown_member)


@pytest.mark.parametrize(
    "wrong",
    [
        {"style": "pages"},
        {"in": "header"},
        {"total_count": "total"},
        {"style": "page", "next": "zz"},
        {"style": "offset", "empty_ends": True},
    ],
)
def test_paging_with_a_wrong_setting(monkeypatch, wrong):
    settings.test_the_paging_of_api_is_complete_and_read()
    monkeypatch.setattr(api, "PAGING", {**api.PAGING, **wrong})
    fails(settings.test_the_paging_of_api_is_complete_and_read)


@pytest.mark.parametrize("name", ["more", "last", "total"])
def test_a_place_that_no_reply_has(monkeypatch, name):
    settings.test_what_a_list_is_told_by_is_in_a_stated_reply(name)
    for place in ("zz", "header:x-zz"):
        monkeypatch.setitem(api.PAGING, name, place)
        fails(settings.test_what_a_list_is_told_by_is_in_a_stated_reply, name)


@pytest.mark.parametrize("seconds", [0, 2.5, 2.8])
def test_health_that_takes_too_long(monkeypatch, seconds):
    monkeypatch.setattr(api, "HEALTH_SECONDS", seconds)
    fails(settings.test_health_answers_before_the_host_gives_up)
