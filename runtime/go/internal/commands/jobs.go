package commands

import (
	"context"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
)

// jobState is the state of a job, with the commands to call next.
type jobState struct {
	JobID      string   `json:"job_id"`
	Status     string   `json:"status"`
	Progress   *float64 `json:"progress"`
	ETASeconds *int     `json:"eta_seconds"`
	Poll       string   `json:"poll"`
	Result     string   `json:"result"`
}

// jobResult is the result of a job: a single page.
type jobResult struct {
	JobID      string        `json:"job_id"`
	Items      []client.Item `json:"items"`
	Count      int           `json:"count"`
	NextCursor *string       `json:"next_cursor"`
	HasMore    bool          `json:"has_more"`
}

func jobSchemas() []cli.Schema {
	return []cli.Schema{
		{Name: "job", Sample: jobState{}},
		{Name: "job_result", Sample: jobResult{}, Items: "item", Untrusted: []string{"items"}},
	}
}

func jobCommands() []*cli.Command {
	jobID := cli.Param{Name: "id", Kind: cli.Text, Required: true, Help: "job_id of the job", Check: client.CheckJobID}
	name := project
	name.Required = true
	return []*cli.Command{
		{
			Path:    "export start",
			Summary: "Start the export of a project as a job",
			Detail:  "Returns at once; `job status` reports the progress.",
			Params:  []cli.Param{name},
			Output:  "job",
			Confirm: cli.Always,
			Examples: []string{
				"export start --project atlas --dry-run",
				"export start --project atlas --confirm ct_TOKEN",
			},
			Plan: planExport,
		},
		{
			Path:     "job status",
			Summary:  "Show the state of a job",
			Params:   []cli.Param{jobID},
			Output:   "job",
			Examples: []string{"job status --id job_1"},
			Run:      jobStatus,
		},
		{
			Path:     "job result",
			Summary:  "Show the result of a finished job",
			Detail:   "With --format raw, the lines are printed unchanged.",
			Params:   []cli.Param{jobID},
			Output:   "job_result",
			Raw:      true,
			Examples: []string{"job result --id job_1 --fields id,title", "job result --id job_1 --format raw"},
			Run:      showResult,
		},
	}
}

func planExport(call *cli.Call) (*cli.Plan, error) {
	name := call.Text("project")
	return cli.PlanFor(call, "items:write", func(upstream *client.Client) (*cli.Plan, error) {
		change := cli.Change{Action: "start", Resource: "export", After: map[string]string{"project": name}}
		return &cli.Plan{
			Preview: cli.Preview{Changes: []cli.Change{change}},
			Apply: func(ctx context.Context, _ string) (any, error) {
				job, err := upstream.StartExport(ctx, name)
				if err != nil {
					return nil, err
				}
				return describeJob(job), nil
			},
		}, nil
	})
}

func jobStatus(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	job, err := upstream.Job(call.Context, call.Text("id"))
	if err != nil {
		return nil, err
	}
	if job.Status == "failed" {
		return nil, fault.New(fault.Server, "the job `%s` failed", job.ID).
			WithFix("Start it again with a new dry run").With("job_id", job.ID).With("status", job.Status)
	}
	return describeJob(job), nil
}

func describeJob(job client.Job) jobState {
	return jobState{
		JobID: job.ID, Status: job.Status, Progress: job.Progress, ETASeconds: job.ETASeconds,
		Poll:   about.Tool + " job status --id " + job.ID,
		Result: about.Tool + " job result --id " + job.ID,
	}
}

func showResult(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	id := call.Text("id")
	lines, err := upstream.JobResult(call.Context, id)
	if err != nil {
		return nil, err
	}
	if call.Raw() {
		call.Printer().Bytes(lines)
		return nil, nil
	}
	items, err := upstream.JobItems(lines)
	if err != nil {
		return nil, err
	}
	return jobResult{JobID: id, Items: items, Count: len(items)}, nil
}
