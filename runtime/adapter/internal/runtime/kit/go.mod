module github.com/aoagents/agent-orchestrator/backend

go 1.25.7
