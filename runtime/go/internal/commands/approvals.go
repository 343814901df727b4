package commands

import (
	"context"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
)

// humanRequired is the code of a step that needs a person; contract/contract-ext.json declares it.
const humanRequired = "E_HUMAN_REQUIRED"

func approvalCommands() []*cli.Command {
	return []*cli.Command{
		{
			Path:    "item publish",
			Summary: "Publish an item; a person has to approve it",
			Detail:  "Ends with E_HUMAN_REQUIRED: tell the person, wait, then run details.resume.",
			Params:  []cli.Param{itemID},
			Output:  "item",
			Confirm: cli.Always,
			Examples: []string{
				"item publish --id 1 --dry-run",
				"item publish --id 1 --confirm ct_TOKEN",
			},
			Plan: planPublish,
		},
		{
			Path:    "approval resume",
			Summary: "Continue after a person has decided",
			Params: []cli.Param{
				{Name: "id", Kind: cli.Text, Required: true, Help: "Id of the approval", Check: client.CheckApprovalID},
			},
			Output:   "item",
			Examples: []string{"approval resume --id appr_1"},
			Run:      resumeApproval,
		},
	}
}

func planPublish(call *cli.Call) (*cli.Plan, error) {
	return planOnItem(call, "items:write", func(upstream *client.Client, item client.Item) (*cli.Plan, error) {
		change := cli.Change{
			Action: "publish", Resource: "item", ID: item.ID, Before: item, After: map[string]string{"state": "published"},
		}
		return &cli.Plan{
			Preview: cli.Preview{Changes: []cli.Change{change}},
			Apply: func(ctx context.Context, _ string) (any, error) {
				approval, err := upstream.Publish(ctx, item.ID, item.Version)
				if err != nil {
					return nil, err
				}
				return nil, waitForPerson(approval)
			},
		}, nil
	})
}

func resumeApproval(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	id := call.Text("id")
	approval, err := upstream.Approval(call.Context, id)
	switch {
	case err != nil:
		return nil, err
	case approval.State == "approved":
		return approval.Item, nil
	case approval.State == "waiting":
		return nil, waitForPerson(id)
	}
	return nil, fault.New(fault.Forbidden, "the request `%s` was not approved", id).
		WithFix("Ask the person why; a new request needs a new dry run").With("approval_id", id)
}

// waitForPerson reports that a person must act; the agent tells the person and does not retry by itself.
func waitForPerson(id string) *fault.Error {
	return fault.New(humanRequired, "a person has to approve the request `%s` in the app", id).
		WithFix("Tell the person, wait until they have decided, then run details.resume").
		With("action", "approve_in_app").
		With("approval_id", id).
		With("resume", about.Tool+" approval resume --id "+id)
}
