package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/audit"
	"aos.invalid/tool/internal/runtime/confirm"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/self"
)

// Flags of every write that asks for a token.
var (
	dryRunParam    = Param{Name: "dry-run", Kind: Flag, Help: "Change nothing; show a preview and a confirm token"}
	confirmParam   = Param{Name: "confirm", Kind: Text, Help: "Make the previewed change, with its confirm token"}
	dangerousParam = Param{Name: "dangerous", Kind: Flag, Help: "Allow a change that cannot be undone"}
)

// DryRun is the data of a dry run.
type DryRun struct {
	Preview      any    `json:"preview"`
	ConfirmToken string `json:"confirm_token"`
	ExpiresAt    string `json:"expires_at"`
}

// binding is everything that makes a write what it is.
type binding struct {
	Tool        string              `json:"tool"`
	Command     string              `json:"command"`
	Arguments   map[string][]string `json:"arguments"`
	BaseURL     string              `json:"base_url"`
	Account     string              `json:"account"`
	Permissions []string            `json:"permissions"`
	Preview     any                 `json:"preview"`
	Payload     any                 `json:"payload"`
}

// write runs a write through the gate. The plan is made anew in both steps, so the second one sees whether the target
// is still what the preview showed.
func (c *Call) write() (any, error) {
	dry, given := c.Flag(dryRunParam.Name), c.Given(confirmParam.Name)
	if dry && given {
		return nil, fault.New(fault.Usage, "--dry-run and --confirm exclude each other").
			WithFix("Use --dry-run to see the preview, then --confirm with its token")
	}
	if given {
		if err := c.app.gate.Spent(c.Text(confirmParam.Name)); err != nil {
			return nil, err
		}
	}
	plan, err := c.Command.Plan(c)
	if err != nil {
		return nil, err
	}
	bound, err := c.bind(plan)
	if err != nil {
		return nil, err
	}
	unsafe := c.Command.Dangerous && !c.Flag(dangerousParam.Name)
	switch {
	case unsafe:
		return nil, c.refuse(plan, "it cannot be undone, and --dangerous is missing",
			"Add --dangerous if you intend this. "+howToConfirm)
	case dry:
		return c.preview(plan, bound)
	case given:
		return c.confirmed(plan, bound)
	case c.Command.Confirm == WhenLossy && !plan.Lossy:
		return plan.Apply(c.Context, "")
	}
	return nil, c.refuse(plan, "no confirm token was given", howToConfirm)
}

func (c *Call) bind(plan *Plan) ([]byte, error) {
	bound := binding{
		Tool:        about.Tool,
		Command:     c.Command.Path,
		Arguments:   map[string][]string{},
		Account:     plan.Account.ID,
		Permissions: slices.Sorted(slices.Values(plan.Account.Permissions)),
		Preview:     plan.Preview,
		Payload:     plan.Payload,
	}
	if c.app.config.BaseURL != nil {
		bound.BaseURL = c.app.config.BaseURL.String()
	}
	for _, param := range c.Command.Params {
		bound.Arguments[param.Name] = c.values[param.Name].texts
	}
	return json.Marshal(bound)
}

func (c *Call) preview(plan *Plan, bound []byte) (*DryRun, error) {
	token, err := c.app.gate.Issue(bound)
	if err != nil {
		return nil, err
	}
	return &DryRun{
		Preview:      plan.Preview,
		ConfirmToken: token.Text,
		ExpiresAt:    token.Expires.Format(time.RFC3339),
	}, nil
}

// howToConfirm is the way to a token.
const howToConfirm = "Run the same call with --dry-run, look at the preview, then repeat it with --confirm and the token of that dry run"

// refuse shows what would change, but gives no token: only a dry run does.
func (c *Call) refuse(plan *Plan, reason, fix string) error {
	return fault.New(fault.ConfirmationRequired, "`%s` was not carried out: %s", c.Command.Path, reason).
		WithFix("%s", fix).
		With("preview", plan.Preview)
}

func (c *Call) confirmed(plan *Plan, bound []byte) (any, error) {
	token := c.Text(confirmParam.Name)
	warning, err := c.app.gate.Redeem(token, bound)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		c.app.printer.Note("warning: %s", warning)
	}
	answer, err := plan.Apply(c.Context, "ct-"+confirm.Fingerprint(token))
	if err != nil {
		failed := fault.From(err)
		if failed.Retryable() {
			failed.WithFix("The write may have happened: run the command with --dry-run again and look at the state")
		}
		return nil, failed.With("confirm_token_used", true)
	}
	return answer, nil
}

// log writes the audit line of a write; trouble with the log never stops the command.
func (c *Call) log(started time.Time, failed *fault.Error) {
	if c.app.config == nil {
		return
	}
	entry := audit.Entry{
		Time:       started,
		Command:    c.Command.Path,
		Step:       c.step(),
		Arguments:  map[string]string{},
		Code:       "",
		DurationMS: time.Since(started).Milliseconds(),
		Version:    self.Version(),
	}
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if value := c.values[name]; value.given {
			entry.Arguments[name] = value.String()
		}
	}
	if c.app.who != nil {
		entry.Account = c.app.who.ID
	}
	if c.app.config.BaseURL != nil {
		entry.BaseURL = c.app.config.BaseURL.String()
	}
	if failed != nil {
		entry.Code, entry.Exit = failed.Code, failed.Exit()
	}
	if err := audit.Append(c.app.config.Home, c.app.redactor, entry); err != nil {
		c.app.printer.Note("warning: the audit log could not be written: %v", err)
	}
}

func (c *Call) step() string {
	switch {
	case c.Flag(dryRunParam.Name):
		return "dry_run"
	case c.Given(confirmParam.Name):
		return "confirm"
	}
	return "call"
}
