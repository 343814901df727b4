module github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme

go 1.25.7

require github.com/aoagents/agent-orchestrator/backend v0.0.0

replace github.com/aoagents/agent-orchestrator/backend => ./internal/runtime/kit
