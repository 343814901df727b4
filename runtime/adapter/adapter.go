// Package acme is the adapter of Acme for Agent Orchestrator.
package acme

import (
	"context"
	"os"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/agentbase"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/binaryutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/program"
)

// ID is the name of the adapter: the harness in the orchestrator, and the first argument of `ao hooks`.
const ID = "acme"

// Plugin is the adapter. It is safe for concurrent use.
type Plugin struct {
	agentbase.Base
	finder program.Finder
}

// New returns the adapter.
func New() *Plugin {
	return &Plugin{}
}

// Manifest returns the description of the adapter.
func (p *Plugin) Manifest() adapters.Manifest {
	return adapters.Manifest{
		ID:           ID,
		Name:         "Acme",
		Description:  "Runs Acme sessions in Agent Orchestrator",
		Version:      "0.1.0",
		Capabilities: []adapters.Capability{adapters.CapabilityAgent},
	}
}

// GetConfigSpec describes what a person can configure for a project.
func (p *Plugin) GetConfigSpec(ctx context.Context) (ports.ConfigSpec, error) {
	return agentbase.ModelConfigSpec(ctx, "Model that the agent uses instead of its own default")
}

// GetPromptDeliveryStrategy reports how the first prompt reaches the agent.
func (p *Plugin) GetPromptDeliveryStrategy(ctx context.Context, _ ports.LaunchConfig) (ports.PromptDeliveryStrategy, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return ports.PromptDeliveryInCommand, nil
}

// EmitsSubmitActivity reports whether a hook reports a submitted prompt.
func (p *Plugin) EmitsSubmitActivity() bool { return true }

// EmitsBlockedActivity is false: the standard activity states of the orchestrator have no event that ends `blocked`.
func (p *Plugin) EmitsBlockedActivity() bool { return false }

// SessionInfo returns the records of the hooks. It reads nothing else.
func (p *Plugin) SessionInfo(ctx context.Context, session ports.SessionRef) (ports.SessionInfo, bool, error) {
	if err := ctx.Err(); err != nil {
		return ports.SessionInfo{}, false, err
	}
	info, ok := agentbase.StandardSessionInfo(session)
	return info, ok, nil
}

// AuthStatus reports whether the agent is signed in, as far as that can be determined without starting it.
func (p *Plugin) AuthStatus(ctx context.Context) (ports.AgentAuthStatus, error) {
	if _, err := p.ResolveBinary(ctx); err != nil {
		return ports.AgentAuthStatusUnknown, err
	}
	for _, name := range authVariables {
		if strings.TrimSpace(os.Getenv(name)) != "" {
			return ports.AgentAuthStatusAuthorized, nil
		}
	}
	return ports.AgentAuthStatusUnknown, nil
}

// authVariables are the variables with the agent's credentials.
var authVariables = []string{"ACME_API_KEY"}

// ResolveBinary returns the path of the agent's program.
func (p *Plugin) ResolveBinary(ctx context.Context) (string, error) {
	return p.finder.Resolve(ctx, binary)
}

// binary lists the locations of the program, if it is not on the PATH.
var binary = binaryutil.BinarySpec{
	Label:         ID,
	Names:         []string{"acme"},
	WinNames:      []string{"acme.exe", "acme.cmd"},
	UnixPaths:     []string{"/usr/local/bin/acme", "/opt/homebrew/bin/acme"},
	UnixHomePaths: binaryutil.NodeManagedUnixHomePaths("acme"),
	WinPaths: []binaryutil.WinPath{
		{Base: binaryutil.WinAppData, Parts: []string{"npm", "acme.exe"}},
		{Base: binaryutil.WinHome, Parts: []string{".local", "bin", "acme.exe"}},
		{Base: binaryutil.WinAppData, Parts: []string{"npm", "acme.cmd"}},
		{Base: binaryutil.WinHome, Parts: []string{".local", "bin", "acme.cmd"}},
	},
}

var (
	_ adapters.Adapter          = (*Plugin)(nil)
	_ ports.Agent               = (*Plugin)(nil)
	_ ports.AgentAuthChecker    = (*Plugin)(nil)
	_ ports.AgentBinaryResolver = (*Plugin)(nil)
	_ ports.ActivitySignaler    = (*Plugin)(nil)
)
