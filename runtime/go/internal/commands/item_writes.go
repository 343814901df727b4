package commands

import (
	"context"
	"strings"

	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
)

// maxTargets is the largest number of items in one call.
const maxTargets = 500

// deletedItem is the response to a deletion.
type deletedItem struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func itemWrites() []*cli.Command {
	title := cli.Param{Name: "title", Kind: cli.Text, Help: "Title"}
	labels := cli.Param{Name: "labels", Kind: cli.List, Help: "Labels, separated by commas or by repeating the flag"}
	required := func(param cli.Param) cli.Param {
		param.Required = true
		return param
	}
	return []*cli.Command{
		{
			Path:    "item create",
			Summary: "Create an item",
			Params: []cli.Param{
				required(project), required(title), labels,
				{Name: "content", Kind: cli.Text, Help: "Content"},
				cli.IdempotencyKey,
			},
			Output:  "item",
			Confirm: cli.Always,
			Examples: []string{
				"item create --project atlas --title 'New item' --dry-run",
				"item create --project atlas --title 'New item' --confirm ct_TOKEN",
			},
			Plan: planCreate,
		},
		{
			Path:    "item update",
			Summary: "Change an item",
			Params: []cli.Param{
				itemID, title, labels,
				{Name: "state", Kind: cli.Text, Values: states[:2], Help: "New state"},
			},
			Output:  "item",
			Confirm: cli.Always,
			Examples: []string{
				"item update --id 1 --title 'Better title' --dry-run",
				"item update --id 1 --title 'Better title' --confirm ct_TOKEN",
			},
			Plan: planUpdate,
		},
		{
			Path:      "item delete",
			Summary:   "Delete an item permanently",
			Params:    []cli.Param{itemID},
			Output:    "deleted_item",
			Confirm:   cli.Always,
			Dangerous: true,
			Examples: []string{
				"item delete --id 1 --dangerous --dry-run",
				"item delete --id 1 --dangerous --confirm ct_TOKEN",
			},
			Plan: planDelete,
		},
		{
			Path:    "item close",
			Summary: "Close items",
			Detail: "One call for many items. The upstream takes at most 50 at once, so larger sets are sent in chunks; " +
				"they are not closed as one transaction.",
			Params: []cli.Param{
				{
					Name: "ids", Kind: cli.List, Required: true, Check: client.CheckID,
					Help: "Ids, separated by commas or by repeating the flag",
				},
				cli.ContinueOnError,
			},
			Output:  "item_batch",
			Confirm: cli.Always,
			Batch:   true,
			Examples: []string{
				"item close --ids 1,2,3 --dry-run",
				"item close --ids 1,2,3 --confirm ct_TOKEN",
			},
			Plan: planClose,
		},
	}
}

func planCreate(call *cli.Call) (*cli.Plan, error) {
	draft := client.Draft{
		Project: call.Text("project"), Title: call.Text("title"), Labels: call.List("labels"), Content: call.Text("content"),
	}
	if draft.Labels == nil {
		draft.Labels = []string{}
	}
	return cli.PlanFor(call, "items:write", func(upstream *client.Client) (*cli.Plan, error) {
		change := cli.Change{Action: "create", Resource: "item", After: draft}
		return &cli.Plan{
			Preview: cli.Preview{Changes: []cli.Change{change}},
			Apply: func(ctx context.Context, fresh string) (any, error) {
				key := call.Text(cli.IdempotencyKey.Name)
				if key == "" {
					key = fresh
				}
				return upstream.CreateItem(ctx, draft, key)
			},
		}, nil
	})
}

func planUpdate(call *cli.Call) (*cli.Plan, error) {
	var changes client.Changes
	after := map[string]any{}
	if call.Given("title") {
		title := call.Text("title")
		if strings.TrimSpace(title) == "" {
			return nil, fault.New(fault.Validation, "--title is empty").WithFix("Give the item a title")
		}
		changes.Title, after["title"] = &title, title
	}
	if call.Given("state") {
		state := call.Text("state")
		changes.State, after["state"] = &state, state
	}
	if call.Given("labels") {
		labels := call.List("labels")
		changes.Labels, after["labels"] = &labels, labels
	}
	if len(after) == 0 {
		return nil, fault.New(fault.Usage, "there is nothing to change").WithFix("Add --title, --state or --labels")
	}
	return planOnItem(call, "items:write", func(upstream *client.Client, item client.Item) (*cli.Plan, error) {
		change := cli.Change{Action: "update", Resource: "item", ID: item.ID, Before: item, After: after}
		return &cli.Plan{
			Preview: cli.Preview{Changes: []cli.Change{change}},
			Apply: func(ctx context.Context, _ string) (any, error) {
				return upstream.UpdateItem(ctx, item.ID, item.Version, changes)
			},
		}, nil
	})
}

func planDelete(call *cli.Call) (*cli.Plan, error) {
	return planOnItem(call, "items:delete", func(upstream *client.Client, item client.Item) (*cli.Plan, error) {
		change := cli.Change{Action: "delete", Resource: "item", ID: item.ID, Before: item}
		return &cli.Plan{
			Preview: cli.Preview{Changes: []cli.Change{change}},
			Lossy:   true,
			Apply: func(ctx context.Context, _ string) (any, error) {
				return deletedItem{ID: item.ID, Deleted: true}, upstream.DeleteItem(ctx, item.ID, item.Version)
			},
		}, nil
	})
}

func planClose(call *cli.Call) (*cli.Plan, error) {
	ids := call.List("ids")
	if len(ids) > maxTargets {
		return nil, fault.New(fault.Validation, "%d items are too many for one call", len(ids)).
			WithFix("Name at most %d", maxTargets)
	}
	return cli.PlanFor(call, "items:write", func(upstream *client.Client) (*cli.Plan, error) {
		change := cli.Change{Action: "close", Resource: "item"}
		changes, err := call.Changes(change, ids, func(id string) (before, after any, err error) {
			item, err := upstream.Item(call.Context, id)
			return item, map[string]string{"state": "closed"}, err
		})
		if err != nil {
			return nil, err
		}
		return &cli.Plan{
			Preview: cli.BatchPreview{Action: "close", Targets: ids, Total: len(ids), Changes: changes},
			Apply: func(ctx context.Context, _ string) (any, error) {
				return call.InChunks(ctx, ids, client.ChunkSize, upstream.CloseItems)
			},
		}, nil
	})
}

// planOnItem plans a write on the current state of the item that --id names.
func planOnItem(call *cli.Call, permission string, plan func(*client.Client, client.Item) (*cli.Plan, error)) (*cli.Plan, error) {
	return cli.PlanFor(call, permission, func(upstream *client.Client) (*cli.Plan, error) {
		item, err := upstream.Item(call.Context, call.Text("id"))
		if err != nil {
			return nil, err
		}
		return plan(upstream, item)
	})
}
