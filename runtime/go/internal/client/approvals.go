package client

import (
	"context"
	"net/http"
	"regexp"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
)

// Approval is a step that a person must decide.
type Approval struct {
	// State is waiting, approved or rejected.
	State string
	Item  Item
}

var approvalID = regexp.MustCompile(`^appr_[A-Za-z0-9]{1,40}$`)

// CheckApprovalID refuses a text that cannot be the id of an approval, before anything is sent.
func CheckApprovalID(id string) error {
	if !approvalID.MatchString(id) {
		return fault.New(fault.Validation, "`%s` is not the id of an approval", fault.Brief(id)).
			WithFix("Use the command in details.resume unchanged")
	}
	return nil
}

// Publish requests the publication of an item that still has the given version. A person must approve it.
func (c *Client) Publish(ctx context.Context, id, version string) (approval string, err error) {
	var document struct {
		ApprovalID string `json:"approval_id"`
	}
	err = c.Do(ctx, rest.Request{
		Method: http.MethodPost,
		Path:   []string{"v1", "items", id, "publish"},
		Header: map[string]string{"If-Match": version},
		Body:   map[string]string{},
	}, &document)
	if err == nil && !approvalID.MatchString(document.ApprovalID) {
		return "", c.Unusable("an approval has no id")
	}
	return document.ApprovalID, err
}

// Approval returns the state of an approval.
func (c *Client) Approval(ctx context.Context, id string) (Approval, error) {
	var document struct {
		State string   `json:"state"`
		Item  wireItem `json:"item"`
	}
	request := rest.Request{Method: http.MethodGet, Path: []string{"v1", "approvals", id}}
	if err := c.Do(ctx, request, &document); err != nil {
		return Approval{}, err
	}
	item, err := document.Item.item()
	if err != nil {
		return Approval{}, c.Unusable("%v", err)
	}
	return Approval{State: document.State, Item: item}, nil
}
