package cli

import (
	"strconv"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/self"
)

// referenceData describes the tool to programs. All of it comes from the registry and the contract.
type referenceData struct {
	Tool             string                   `json:"tool"`
	Version          string                   `json:"version"`
	Description      string                   `json:"description"`
	Contract         contractIdentity         `json:"contract"`
	Capabilities     []string                 `json:"capabilities"`
	RuntimeVersion   string                   `json:"runtime_version"`
	RiskTier         string                   `json:"risk_tier"`
	ReleaseReadiness Readiness                `json:"release_readiness"`
	GlobalFlags      []referenceParam         `json:"global_flags"`
	Commands         []referenceCommand       `json:"commands"`
	Schemas          map[string]schemaData    `json:"schemas"`
	ExitCodes        map[string]string        `json:"exit_codes"`
	ErrorCodes       map[string]referenceCode `json:"error_codes"`
	Environment      []referenceVariable      `json:"environment"`
	Defaults         map[string]string        `json:"defaults"`
}

type referenceCommand struct {
	Path         string           `json:"path"`
	Aliases      []string         `json:"aliases,omitempty"`
	Type         string           `json:"type"`
	Confirm      *Policy          `json:"confirm,omitempty"`
	Dangerous    bool             `json:"dangerous,omitempty"`
	Batch        bool             `json:"batch,omitempty"`
	Stream       bool             `json:"stream,omitempty"`
	Formats      []string         `json:"formats"`
	Description  string           `json:"description"`
	Detail       string           `json:"detail"`
	Params       []referenceParam `json:"params"`
	OutputSchema string           `json:"output_schema"`
	DryRunSchema string           `json:"dry_run_schema,omitempty"`
	Examples     []string         `json:"examples"`
}

type referenceParam struct {
	Name        string   `json:"name"`
	Type        Kind     `json:"type"`
	Required    bool     `json:"required"`
	Multiple    bool     `json:"multiple"`
	Default     *string  `json:"default"`
	Values      []string `json:"values,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`
	Description string   `json:"description"`
}

type schemaData struct {
	Shape           string   `json:"shape"`
	Fields          []string `json:"fields"`
	Kinds           []string `json:"kinds"`
	UntrustedFields []string `json:"untrusted_fields"`
	ItemsSchema     string   `json:"items_schema,omitempty"`
}

type referenceCode struct {
	Exit      int  `json:"exit"`
	Retryable bool `json:"retryable"`
}

type referenceVariable struct {
	Name        string `json:"name"`
	Secret      bool   `json:"secret"`
	Description string `json:"description"`
}

func (t *Tool) reference() referenceData {
	data := referenceData{
		Tool:             about.Tool,
		Version:          self.Version(),
		Description:      about.Description,
		Contract:         identity(),
		Capabilities:     t.capabilities(),
		RuntimeVersion:   self.Runtime,
		RiskTier:         t.Tier,
		ReleaseReadiness: t.Readiness,
		GlobalFlags:      describeAll(globalParams),
		Commands:         []referenceCommand{},
		Schemas:          map[string]schemaData{},
		ExitCodes:        map[string]string{"0": contract.ExitCodes[0]},
		ErrorCodes:       map[string]referenceCode{},
		Environment:      t.variables(),
		Defaults: map[string]string{
			"format":     "json",
			"list_order": "by id, oldest first",
			"fields":     "names of fields, without paths; for a page, those of its items",
			"paging":     "cursor: pass next_cursor of one page as --cursor of the next",
		},
	}
	for _, command := range t.commands() {
		data.Commands = append(data.Commands, command.describe())
	}
	for _, found := range t.schemas() {
		untrusted := found.Untrusted
		if untrusted == nil {
			untrusted = []string{}
		}
		data.Schemas[found.Name] = schemaData{
			Shape: "object", Fields: found.fields(), Kinds: found.kinds(), UntrustedFields: untrusted,
			ItemsSchema: found.Items,
		}
	}
	for code, spec := range contract.Codes {
		data.ErrorCodes[code] = referenceCode{spec.Exit, spec.Retryable}
		data.ExitCodes[strconv.Itoa(spec.Exit)] = contract.ExitCodes[spec.Exit]
	}
	return data
}

func (c *Command) describe() referenceCommand {
	described := referenceCommand{
		Path:         c.Path,
		Aliases:      c.Aliases,
		Type:         "query",
		Dangerous:    c.Dangerous,
		Batch:        c.Batch,
		Stream:       c.Stream,
		Formats:      []string{"json", "text"},
		Description:  c.Summary,
		Detail:       c.Detail,
		Params:       describeAll(c.allParams()),
		OutputSchema: c.Output,
		Examples:     c.examples(),
	}
	if c.Raw {
		described.Formats = append(described.Formats, "raw")
	}
	if c.writes() {
		described.Type, described.Confirm = "write", &c.Confirm
		if c.Confirm != Exempt {
			described.DryRunSchema = "dry_run"
		}
	}
	return described
}

func describeAll(params []Param) []referenceParam {
	described := []referenceParam{}
	for _, param := range params {
		one := referenceParam{
			Name: param.Name, Type: param.Kind, Required: param.Required, Multiple: param.Kind == List,
			Values: param.Values, Description: param.Help,
		}
		if param.Default != "" {
			one.Default = &param.Default
		}
		if param.Kind == Number {
			one.Minimum, one.Maximum = &param.Min, &param.Max
		}
		described = append(described, one)
	}
	return described
}

func (t *Tool) variables() []referenceVariable {
	named := func(name string, secret bool, description string) referenceVariable {
		return referenceVariable{self.Env(name), secret, description}
	}
	variables := []referenceVariable{named(config.EnvBaseURL, false, "Address of the upstream")}
	if !t.Anonymous {
		for _, key := range t.Keys {
			variables = append(variables, named(key, true, "One of the keys, if none are stored"))
		}
		if len(t.Keys) == 0 {
			variables = append(variables, named(config.EnvToken, true, "Credential, if none is stored"))
		}
		variables = append(variables,
			named(config.EnvKeyring, false, "off disables the keyring of the system"),
		)
	}
	if t.Renew != nil {
		variables = append(variables,
			named(config.EnvRefreshToken, true, "Renews the credential"),
			named(config.EnvExpiresAt, false, "Time at which the credential expires, RFC 3339"),
		)
	}
	return append(variables,
		named(config.EnvHome, false, "Directory for state and config.json"),
		named(config.EnvTimeout, false, "Time limit of one request, in seconds"),
		named(config.EnvConfirmLifetime, false, "Lifetime of a confirm token in seconds, at most 600"),
		named(config.EnvUpdateAPI, false, "Address of the API that lists releases"),
		named(config.EnvUpdateTimeout, false, "Timeout of the release host in seconds, at most 30"),
		referenceVariable{"GITHUB_TOKEN", true, "Raises the rate limit of update; sent only to GitHub"},
	)
}
