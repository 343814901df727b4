package ports

import (
	"context"
	"time"
)

// ModelSelectionMode says how a person chooses a model.
type ModelSelectionMode string

// The ways to choose a model.
const (
	ModelSelectionCatalog  ModelSelectionMode = "catalog"
	ModelSelectionText     ModelSelectionMode = "text"
	ModelSelectionModeList ModelSelectionMode = "mode"
)

// AgentModelInfo is one model.
type AgentModelInfo struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Provider  string `json:"provider,omitempty"`
	IsDefault bool   `json:"isDefault,omitempty"`
}

// AgentModelCatalog lists the models of an agent.
type AgentModelCatalog struct {
	AgentID            string             `json:"agentId"`
	SelectionMode      ModelSelectionMode `json:"selectionMode" enum:"catalog,text,mode"`
	Models             []AgentModelInfo   `json:"models"`
	AllowCustom        bool               `json:"allowCustom"`
	Source             string             `json:"source"`
	BinaryVersion      string             `json:"binaryVersion,omitempty"`
	FetchedAt          time.Time          `json:"fetchedAt"`
	ValidatedAt        time.Time          `json:"validatedAt,omitempty"`
	RefreshRecommended bool               `json:"refreshRecommended,omitempty"`
	Stale              bool               `json:"stale"`
	Warning            string             `json:"warning,omitempty"`
}

// CachedAgentModelCatalog is a catalog in the store.
type CachedAgentModelCatalog struct {
	AgentID       string
	ProjectID     string
	BinaryVersion string
	CatalogJSON   string
	Source        string
	FetchedAt     time.Time
}

// AgentModelCatalogCache keeps catalogs.
type AgentModelCatalogCache interface {
	GetAgentModelCatalog(ctx context.Context, agentID, projectID string) (CachedAgentModelCatalog, bool, error)
	UpsertAgentModelCatalog(ctx context.Context, record CachedAgentModelCatalog) error
}

// AgentModelDiscoveryRequest says where models are looked for.
type AgentModelDiscoveryRequest struct {
	AgentID    string
	Binary     string
	WorkingDir string
	Env        map[string]string
}

// AgentModelDiscoverer finds the models of an agent.
type AgentModelDiscoverer interface {
	Discover(ctx context.Context, request AgentModelDiscoveryRequest) (AgentModelCatalog, error)
	CatalogFingerprint(ctx context.Context, request AgentModelDiscoveryRequest) string
	Manual(agentID string) AgentModelCatalog
}
