package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

const maxLine = 8 << 20

// request is one call. Config has the members of the port's own type.
type request struct {
	Call string `json:"call"`
	// Config is the argument of the call.
	Config json.RawMessage `json:"config"`
	// Cancelled makes the call with a context that has ended.
	Cancelled bool `json:"cancelled"`
}

// answer is what a call returned.
type answer struct {
	Result any    `json:"result"`
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`
	// Is has the names of the errors that Error wraps.
	Is []string `json:"is,omitempty"`
	// Panic says that the call did not return.
	Panic string `json:"panic,omitempty"`
}

// serve answers calls until the input ends. Each call gets exactly one line.
func serve(create func() adapters.Adapter, input io.Reader, output io.Writer) error {
	lines := bufio.NewScanner(input)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		var call request
		got := answer{}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			got.Error = fmt.Sprintf("the call is not understood: %v", err)
		} else {
			got = called(create, call)
		}
		if err := encoder.Encode(got); err != nil {
			return err
		}
	}
	return lines.Err()
}

func called(create func() adapters.Adapter, call request) (got answer) {
	defer func() {
		if reason := recover(); reason != nil {
			got = answer{Panic: fmt.Sprint(reason)}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if call.Cancelled {
		cancel()
	}
	var result any
	var ok bool
	var err error
	if call.Call == "Probe" {
		result, ok, err = probed(call)
	} else {
		result, ok, err = dispatch(ctx, create(), call)
	}
	got = answer{Result: result, OK: ok}
	if err != nil {
		got.Error, got.OK = err.Error(), false
		for name, kind := range map[string]error{
			"ErrAgentBinaryNotFound": ports.ErrAgentBinaryNotFound, "Canceled": context.Canceled, "NoSuchCall": errNoSuchCall,
		} {
			if errors.Is(err, kind) {
				got.Is = append(got.Is, name)
			}
		}
	}
	return got
}

var errNoSuchCall = errors.New("the adapter has no such method")

// workspaceCall is the argument of calls that take a path alone.
type workspaceCall struct {
	WorkspacePath string
}

// environmentCall is the argument of AugmentRuntimeEnv.
type environmentCall struct {
	Env     map[string]string
	DataDir string
}

func dispatch(ctx context.Context, adapter adapters.Adapter, call request) (any, bool, error) {
	if call.Call == "Manifest" {
		return adapter.Manifest(), true, nil
	}
	if result, ok, err := optional(ctx, adapter, call); !errors.Is(err, errNoSuchCall) {
		return result, ok, err
	}
	agent, isAgent := adapter.(ports.Agent)
	if !isAgent {
		return nil, false, errors.New("the adapter does not implement ports.Agent")
	}
	switch call.Call {
	case "GetConfigSpec":
		result, err := agent.GetConfigSpec(ctx)
		return result, true, err
	case "GetLaunchCommand":
		return with(call, func(cfg ports.LaunchConfig) (any, bool, error) {
			result, err := agent.GetLaunchCommand(ctx, cfg)
			return result, true, err
		})
	case "GetPromptDeliveryStrategy":
		return with(call, func(cfg ports.LaunchConfig) (any, bool, error) {
			result, err := agent.GetPromptDeliveryStrategy(ctx, cfg)
			return result, true, err
		})
	case "GetAgentHooks":
		return with(call, func(cfg ports.WorkspaceHookConfig) (any, bool, error) {
			return nil, true, agent.GetAgentHooks(ctx, cfg)
		})
	case "GetRestoreCommand":
		return with(call, func(cfg ports.RestoreConfig) (any, bool, error) {
			result, ok, err := agent.GetRestoreCommand(ctx, cfg)
			return result, ok, err
		})
	case "SessionInfo":
		return with(call, func(session ports.SessionRef) (any, bool, error) {
			result, ok, err := agent.SessionInfo(ctx, session)
			return result, ok, err
		})
	}
	return nil, false, errNoSuchCall
}

// optional makes the calls that are not part of the port.
func optional(ctx context.Context, adapter adapters.Adapter, call request) (any, bool, error) {
	switch call.Call {
	case "AuthStatus":
		if checker, has := adapter.(ports.AgentAuthChecker); has {
			result, err := checker.AuthStatus(ctx)
			return result, true, err
		}
	case "ResolveBinary":
		if resolver, has := adapter.(ports.AgentBinaryResolver); has {
			result, err := resolver.ResolveBinary(ctx)
			return result, true, err
		}
	case "UninstallHooks":
		if remover, has := adapter.(interface {
			UninstallHooks(ctx context.Context, workspacePath string) error
		}); has {
			return with(call, func(cfg workspaceCall) (any, bool, error) {
				return nil, true, remover.UninstallHooks(ctx, cfg.WorkspacePath)
			})
		}
	case "AreHooksInstalled":
		if looker, has := adapter.(interface {
			AreHooksInstalled(ctx context.Context, workspacePath string) (bool, error)
		}); has {
			return with(call, func(cfg workspaceCall) (any, bool, error) {
				result, err := looker.AreHooksInstalled(ctx, cfg.WorkspacePath)
				return result, true, err
			})
		}
	case "PromptReadinessHints":
		if provider, has := adapter.(ports.AgentPromptReadinessProvider); has {
			return with(call, func(cfg ports.LaunchConfig) (any, bool, error) {
				result, err := provider.PromptReadinessHints(ctx, cfg)
				return result, true, err
			})
		}
	case "Signals":
		if signaler, has := adapter.(ports.ActivitySignaler); has {
			return map[string]bool{"submit": signaler.EmitsSubmitActivity(), "blocked": signaler.EmitsBlockedActivity()}, true, nil
		}
	case "AugmentRuntimeEnv":
		if augmenter, has := adapter.(interface {
			AugmentRuntimeEnv(env map[string]string, dataDir string)
		}); has {
			return with(call, func(cfg environmentCall) (any, bool, error) {
				if cfg.Env == nil {
					cfg.Env = map[string]string{}
				}
				augmenter.AugmentRuntimeEnv(cfg.Env, cfg.DataDir)
				return cfg.Env, true, nil
			})
		}
	}
	return nil, false, errNoSuchCall
}

// with reads the argument of a call.
func with[T any](call request, run func(T) (any, bool, error)) (any, bool, error) {
	var config T
	if len(call.Config) > 0 {
		if err := json.Unmarshal(call.Config, &config); err != nil {
			return nil, false, fmt.Errorf("the argument of %s is not understood: %w", call.Call, err)
		}
	}
	return run(config)
}
