"""The item commands.

This file is yours. A handler takes the inputs that were given and the API, and
returns a dict: the data of the envelope. Replace any body with your own code.
"""

from .._runtime.registry import command


@command("item.list")
def list_item(inputs, api):
    "List items"
    return api.list(
        "GET",
        "/v1/items",
        inputs,
        query={
            "state": "state",
        },
        result="entries",
        items="items",
        item_id="id",
        item_name="title",
    )


@command("item.get")
def get_item(inputs, api):
    "Get one item"
    reply = api.send(
        "GET",
        "/v1/items/{item_id}",
        inputs,
    )
    return {
        "item": reply,
    }


@command("item.create")
def create_item(inputs, api):
    "Create an item"
    reply = api.send(
        "POST",
        "/v1/items",
        inputs,
        body={
            "title": "title",
            "body": "body",
            "labels": "labels",
            "priority": "priority",
        },
    )
    return {
        "item": reply,
    }


@command("item.update")
def update_item(inputs, api):
    "Change an item, close or reopen it"
    reply = api.send(
        "PATCH",
        "/v1/items/{item_id}",
        inputs,
        body={
            "title": "title",
            "body": "body",
            "labels": "labels",
            "priority": "priority",
            "state": "new_state",
        },
    )
    return {
        "item": reply,
    }


@command("item.bulk_close")
def bulk_close_item(inputs, api):
    "Close several items"

    def run(item):
        return api.send(
            "PATCH",
            "/v1/items/{each_item}",
            item,
            constants={
                "state": "closed",
            },
        )

    return api.each(inputs, "item_ids", run)


@command("item.delete")
def delete_item(inputs, api):
    "Delete an item"
    reply = api.send(
        "DELETE",
        "/v1/items/{item_id}",
        inputs,
    )
    return {
        "deleted": reply,
    }
