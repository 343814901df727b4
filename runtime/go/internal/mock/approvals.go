package mock

import (
	"fmt"
	"net/http"

	"aos.invalid/tool/internal/runtime/mockkit"
)

// approval is a step that waits for a person.
type approval struct {
	item  *item
	state string
}

func init() {
	routes = append(routes, (*API).approvalRoutes)
}

func (a *API) approvalRoutes() {
	approvals := map[string]*approval{}
	a.Handle("POST /v1/items/{id}/publish", "items:write", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		if found := a.unchanged(w, r); found != nil {
			id := fmt.Sprintf("appr_%d", len(approvals)+1)
			approvals[id] = &approval{item: found, state: "waiting"}
			mockkit.Reply(w, http.StatusAccepted, map[string]any{"approval_id": id})
		}
	})
	a.Handle("GET /v1/approvals/{id}", "items:read", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		step := approvals[r.PathValue("id")]
		if step == nil {
			mockkit.Fail(w, http.StatusNotFound, "no_such_approval", "the approval does not exist")
			return
		}
		mockkit.Reply(w, http.StatusOK, map[string]any{"state": step.state, "item": step.item})
	})
	// A person decides in an app; the mock has this address instead.
	a.Open("POST /mock/approvals/{id}/{decision}", func(w http.ResponseWriter, r *http.Request) {
		step, decision := approvals[r.PathValue("id")], r.PathValue("decision")
		if step == nil || decision != "approved" && decision != "rejected" {
			mockkit.Fail(w, http.StatusNotFound, "no_such_approval", "the approval or the decision does not exist")
			return
		}
		if decision == "approved" && step.state == "waiting" {
			step.item.State = "published"
			a.revise(step.item, "published")
		}
		step.state = decision
		w.WriteHeader(http.StatusNoContent)
	})
}
