package client

import (
	"bytes"
	"context"
	"net/http"
	"regexp"
	"slices"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
	"aos.invalid/tool/internal/runtime/strictjson"
)

// Job is work that the API does in the background.
type Job struct {
	ID         string
	Status     string
	Progress   *float64
	ETASeconds *int
}

var (
	jobID       = regexp.MustCompile(`^job_[A-Za-z0-9]{1,40}$`)
	jobStatuses = []string{"pending", "running", "succeeded", "failed", "cancelled"}
)

// CheckJobID refuses a text that cannot be the id of a job, before anything is sent.
func CheckJobID(id string) error {
	if !jobID.MatchString(id) {
		return fault.New(fault.Validation, "`%s` is not the id of a job", fault.Brief(id)).
			WithFix("Use the job_id from the response of the command that started the job")
	}
	return nil
}

// StartExport starts the export of a project.
func (c *Client) StartExport(ctx context.Context, project string) (Job, error) {
	return c.job(ctx, rest.Request{
		Method: http.MethodPost, Path: []string{"v1", "exports"}, Body: map[string]string{"project": project},
	})
}

// Job returns the state of a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	job, err := c.job(ctx, rest.Request{Method: http.MethodGet, Path: []string{"v1", "jobs", id}})
	if err == nil && job.ID != id {
		return Job{}, c.Unusable("it is about another job")
	}
	return job, err
}

// JobResult returns the result of a finished job: a line of JSON for each item.
func (c *Client) JobResult(ctx context.Context, id string) ([]byte, error) {
	lines, _, err := c.Bytes(ctx, rest.Request{
		Method: http.MethodGet, Path: []string{"v1", "jobs", id, "result"}, Accept: "application/x-ndjson",
	})
	return lines, err
}

// JobItems reads the result of a job as items in the form of the other commands.
func (c *Client) JobItems(result []byte) ([]Item, error) {
	items := []Item{}
	for line := range bytes.Lines(result) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var wire wireItem
		if err := strictjson.Unmarshal(line, strictjson.Exact, &wire); err != nil {
			return nil, c.Unusable("a line of the result is not the expected JSON").
				WithFix("Use --format raw, which prints the result unchanged").Because(err)
		}
		item, err := wire.item()
		if err != nil {
			return nil, c.Unusable("%v", err)
		}
		items = append(items, item)
	}
	if err := rest.Distinct(items, itemID); err != nil {
		return nil, c.Unusable("%v", err)
	}
	return items, nil
}

func (c *Client) job(ctx context.Context, request rest.Request) (Job, error) {
	var wire struct {
		ID         rest.ID  `json:"id"`
		Status     string   `json:"status"`
		Progress   *float64 `json:"progress"`
		ETASeconds *int     `json:"eta_seconds"`
	}
	if err := c.Do(ctx, request, &wire); err != nil {
		return Job{}, err
	}
	switch {
	case !jobID.MatchString(string(wire.ID)) || !slices.Contains(jobStatuses, wire.Status):
		return Job{}, c.Unusable("a job has no id or no status that is known")
	case wire.Progress != nil && (*wire.Progress < 0 || *wire.Progress > 1):
		return Job{}, c.Unusable("the progress of a job is not between 0 and 1")
	case wire.ETASeconds != nil && *wire.ETASeconds < 0:
		return Job{}, c.Unusable("a job ends in the past")
	}
	return Job{ID: string(wire.ID), Status: wire.Status, Progress: wire.Progress, ETASeconds: wire.ETASeconds}, nil
}
