// Package adapters describes adapters and keeps them by ID.
package adapters

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Capability names something an adapter can do.
type Capability string

// The capabilities that the orchestrator knows.
const (
	CapabilityAgent        Capability = "agent"
	CapabilityIssueTracker Capability = "issue-tracker"
)

// Manifest says what an adapter is.
type Manifest struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Description  string       `json:"description"`
	Version      string       `json:"version"`
	Capabilities []Capability `json:"capabilities"`
}

// Adapter is anything with a manifest.
type Adapter interface {
	Manifest() Manifest
}

// Registry keeps adapters by the ID of their manifest. It is safe for concurrent use.
type Registry struct {
	mu   sync.RWMutex
	byID map[string]Adapter
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{byID: map[string]Adapter{}}
}

// Register adds an adapter. A nil adapter, an empty ID and an ID that is taken are errors.
func (r *Registry) Register(adapter Adapter) error {
	if adapter == nil {
		return errors.New("adapters: the adapter is nil")
	}
	id := adapter.Manifest().ID
	if id == "" {
		return errors.New("adapters: the manifest has no ID")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byID[id]; taken {
		return fmt.Errorf("adapters: %q is registered already", id)
	}
	r.byID[id] = adapter
	return nil
}

// Get returns the adapter with that ID.
func (r *Registry) Get(id string) (Adapter, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	adapter, found := r.byID[id]
	return adapter, found
}

// Manifests returns all manifests, ordered by ID.
func (r *Registry) Manifests() []Manifest {
	r.mu.RLock()
	defer r.mu.RUnlock()
	manifests := make([]Manifest, 0, len(r.byID))
	for _, adapter := range r.byID {
		manifests = append(manifests, adapter.Manifest())
	}
	sort.Slice(manifests, func(i, j int) bool { return manifests[i].ID < manifests[j].ID })
	return manifests
}
