package commands

import (
	"regexp"

	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
)

const maxProjects = 50

var projectName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$`)

func checkProject(name string) error {
	if projectName.MatchString(name) {
		return nil
	}
	return fault.New(fault.Validation, "a project name is not valid").
		WithFix("Use lower-case letters, digits and dashes, such as `atlas`")
}

// overview counts items of several projects; a project that cannot be read does not hide the others.
type overview struct {
	Scope           []string         `json:"scope"`
	ProjectsScanned int              `json:"projects_scanned"`
	Projects        []client.Summary `json:"projects"`
	Count           int              `json:"count"`
	ProjectErrors   []projectError   `json:"project_errors"`
}

type projectError struct {
	Project   string `json:"project"`
	Code      string `json:"code"`
	Retryable bool   `json:"retryable"`
}

func projectSchemas() []cli.Schema {
	return []cli.Schema{{Name: "project_overview", Sample: overview{}}}
}

func projectQueries() []*cli.Command {
	return []*cli.Command{{
		Path:    "project overview",
		Summary: "Count open and closed items of several projects",
		Detail:  "Projects that could not be read are listed in project_errors.",
		Params: []cli.Param{{
			Name: "projects", Kind: cli.List, Required: true, Check: checkProject,
			Help: "Projects, separated by commas or by repeating the flag",
		}},
		Output:   "project_overview",
		Examples: []string{"project overview --projects atlas,borealis"},
		Run:      projectOverview,
	}}
}

func projectOverview(call *cli.Call) (any, error) {
	names := call.List("projects")
	if len(names) > maxProjects {
		return nil, fault.New(fault.Validation, "%d projects are too many for one call", len(names)).
			WithFix("Name at most %d", maxProjects)
	}
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	found := overview{Scope: names, Projects: []client.Summary{}, ProjectErrors: []projectError{}}
	for _, name := range names {
		summary, err := upstream.Summary(call.Context, name)
		if err == nil {
			found.Projects = append(found.Projects, summary)
			continue
		}
		failed := fault.From(err)
		// Without a credential, or after a signal, no project can be read.
		if failed.Code == fault.Auth || call.Context.Err() != nil {
			return nil, err
		}
		found.ProjectErrors = append(found.ProjectErrors, projectError{name, failed.Code, failed.Retryable()})
	}
	found.ProjectsScanned, found.Count = len(found.Projects), len(found.Projects)
	return found, nil
}
