package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// export is a job: it is pending when it is asked for the first time, then running, then done.
type export struct {
	project string
	asked   int
}

// BrokenProject is a project whose export fails.
const BrokenProject = "broken"

func (u *Upstream) exportRoutes() {
	u.exports = map[string]*export{}
	u.handle("POST /v1/exports", "items:write", func(w http.ResponseWriter, r *http.Request, _ account) {
		var wanted struct {
			Project string `json:"project"`
		}
		if _, ok := decode(w, r, &wanted); !ok {
			return
		}
		id := fmt.Sprintf("job_%d", len(u.exports)+1)
		u.exports[id] = &export{project: wanted.Project}
		reply(w, http.StatusAccepted, map[string]any{"id": id, "status": "pending"})
	})
	u.handle("GET /v1/jobs/{id}", "items:read", func(w http.ResponseWriter, r *http.Request, _ account) {
		job := u.export(w, r)
		if job == nil {
			return
		}
		job.asked++
		reply(w, http.StatusOK, job.state(r.PathValue("id")))
	})
	u.handle("GET /v1/jobs/{id}/result", "items:read", func(w http.ResponseWriter, r *http.Request, _ account) {
		job := u.export(w, r)
		if job == nil {
			return
		}
		if job.asked < 2 {
			fail(w, http.StatusConflict, "not_finished", "the job has not finished")
			return
		}
		if job.project == BrokenProject {
			fail(w, http.StatusInternalServerError, "job_failed", "the job failed")
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		encoder := json.NewEncoder(w)
		for _, candidate := range u.items {
			if candidate.Project == job.project {
				_ = encoder.Encode(candidate)
			}
		}
	})
}

func (u *Upstream) export(w http.ResponseWriter, r *http.Request) *export {
	job := u.exports[r.PathValue("id")]
	if job == nil {
		fail(w, http.StatusNotFound, "no_such_job", "there is no such job")
	}
	return job
}

func (e *export) state(id string) map[string]any {
	state := map[string]any{"id": id, "status": "running", "progress": 0.5, "eta_seconds": 1}
	switch {
	case e.asked >= 2 && e.project == BrokenProject:
		return map[string]any{"id": id, "status": "failed"}
	case e.asked >= 2:
		return map[string]any{"id": id, "status": "succeeded", "progress": 1}
	}
	return state
}
