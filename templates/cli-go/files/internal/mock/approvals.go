package mock

import (
	"fmt"
	"net/http"
)

// approval is a step that waits for a person.
type approval struct {
	item  *item
	state string
}

func (u *Upstream) approvalRoutes() {
	u.approvals = map[string]*approval{}
	u.handle("POST /v1/items/{id}/publish", "items:write", func(w http.ResponseWriter, r *http.Request, _ account) {
		found := u.unchanged(w, r)
		if found == nil {
			return
		}
		id := fmt.Sprintf("appr_%d", len(u.approvals)+1)
		u.approvals[id] = &approval{item: found, state: "waiting"}
		reply(w, http.StatusAccepted, map[string]any{"approval_id": id})
	})
	u.handle("GET /v1/approvals/{id}", "items:read", func(w http.ResponseWriter, r *http.Request, _ account) {
		step := u.approvals[r.PathValue("id")]
		if step == nil {
			fail(w, http.StatusNotFound, "no_such_approval", "there is no such approval")
			return
		}
		reply(w, http.StatusOK, map[string]any{"state": step.state, "item": step.item})
	})
	// A person does this in an app; the mock has no app.
	u.mux.HandleFunc("POST /mock/approvals/{id}/{decision}", func(w http.ResponseWriter, r *http.Request) {
		if !u.Decide(r.PathValue("id"), r.PathValue("decision")) {
			fail(w, http.StatusNotFound, "no_such_approval", "there is no such approval or decision")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// Decide ends the wait of an approval: approved or rejected.
func (u *Upstream) Decide(id, decision string) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	step := u.approvals[id]
	if step == nil || decision != "approved" && decision != "rejected" {
		return false
	}
	if decision == "approved" && step.state == "waiting" {
		step.item.State = "published"
		u.revise(step.item, "published")
	}
	step.state = decision
	return true
}
