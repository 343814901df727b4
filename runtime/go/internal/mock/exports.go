package mock

import (
	"encoding/json"
	"fmt"
	"net/http"

	"aos.invalid/tool/internal/runtime/mockkit"
)

// BrokenProject is a project whose export fails.
const BrokenProject = "broken"

// export is a job: pending at the first request for its state, then running, then done.
type export struct {
	project string
	asked   int
}

func init() {
	routes = append(routes, (*API).exportRoutes)
}

func (a *API) exportRoutes() {
	exports := map[string]*export{}
	named := func(w http.ResponseWriter, r *http.Request) *export {
		job := exports[r.PathValue("id")]
		if job == nil {
			mockkit.Fail(w, http.StatusNotFound, "no_such_job", "there is no such job")
		}
		return job
	}
	a.Handle("POST /v1/exports", "items:write", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		var wanted struct {
			Project string `json:"project"`
		}
		if _, ok := mockkit.Decode(w, r, &wanted); !ok {
			return
		}
		id := fmt.Sprintf("job_%d", len(exports)+1)
		exports[id] = &export{project: wanted.Project}
		mockkit.Reply(w, http.StatusAccepted, map[string]any{"id": id, "status": "pending"})
	})
	a.Handle("GET /v1/jobs/{id}", "items:read", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		if job := named(w, r); job != nil {
			job.asked++
			mockkit.Reply(w, http.StatusOK, job.state(r.PathValue("id")))
		}
	})
	a.Handle("GET /v1/jobs/{id}/result", "items:read", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		job := named(w, r)
		switch {
		case job == nil:
		case job.asked < 2:
			mockkit.Fail(w, http.StatusConflict, "not_finished", "the job has not finished")
		case job.project == BrokenProject:
			mockkit.Fail(w, http.StatusInternalServerError, "job_failed", "the job failed")
		default:
			w.Header().Set("Content-Type", "application/x-ndjson")
			for _, candidate := range a.items {
				if candidate.Project == job.project {
					_ = json.NewEncoder(w).Encode(candidate)
				}
			}
		}
	})
}

func (e *export) state(id string) map[string]any {
	switch {
	case e.asked >= 2 && e.project == BrokenProject:
		return map[string]any{"id": id, "status": "failed"}
	case e.asked >= 2:
		return map[string]any{"id": id, "status": "succeeded", "progress": 1}
	}
	return map[string]any{"id": id, "status": "running", "progress": 0.5, "eta_seconds": 1}
}
