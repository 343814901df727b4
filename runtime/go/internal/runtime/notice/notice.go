// Package notice keeps what the last check for a newer version found. Commands show it and never look for one.
package notice

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/strictjson"
)

const (
	fileName = "notices.json"
	maxSize  = 64 * 1024
	lifetime = 7 * 24 * time.Hour
	skew     = 5 * time.Minute
)

// Types of notices.
const (
	UpdateAvailable = "update_available"
	RemoteOlder     = "remote_older"
	PossibleFreeze  = "possible_freeze"
)

// Severities of notices.
const (
	Info    = "info"
	Warning = "warning"
)

// Notice is what an agent should know about versions.
type Notice struct {
	Type               string   `json:"type"`
	Severity           string   `json:"severity"`
	CurrentVersion     string   `json:"current_version"`
	LatestVersion      string   `json:"latest_version"`
	InstallMethod      string   `json:"install_method"`
	RecommendedCommand string   `json:"recommended_command"`
	ReleaseURL         string   `json:"release_url,omitempty"`
	CheckedAt          string   `json:"checked_at"`
	NextSteps          []string `json:"next_steps"`
}

// Cache is what the file holds.
type Cache struct {
	// Highest is the newest version ever seen, so that a release that disappears is noticed.
	Highest   string  `json:"highest"`
	CheckedAt string  `json:"checked_at"`
	Target    string  `json:"target"`
	Notice    *Notice `json:"notice"`
}

// Read returns the cache; an unusable one is like none.
func Read(home string) Cache {
	var cache Cache
	text, err := config.ReadBounded(filepath.Join(home, fileName), maxSize)
	if err != nil || strictjson.Unmarshal(text, strictjson.Folded, &cache) != nil {
		return Cache{}
	}
	if cache.Highest != "" && !changelog.IsVersion(cache.Highest) {
		cache.Highest = ""
	}
	return cache
}

// Write replaces the cache.
func Write(home string, cache Cache) error {
	text, err := json.Marshal(cache)
	if err != nil {
		return err
	}
	return config.WritePrivate(filepath.Join(home, fileName), text)
}

// Current returns the notice that holds for a running version at a time; nil when there is none.
func Current(home, running string, now time.Time) *Notice {
	notice := Read(home).Notice
	if notice == nil || !changelog.IsVersion(notice.LatestVersion) {
		return nil
	}
	checked, err := time.Parse(time.RFC3339, notice.CheckedAt)
	if err != nil || checked.After(now.Add(skew)) || now.Sub(checked) > lifetime {
		return nil
	}
	switch notice.Type {
	case UpdateAvailable:
		if changelog.Compare(running, notice.LatestVersion) >= 0 {
			return nil
		}
	case RemoteOlder, PossibleFreeze:
		if notice.CurrentVersion != running {
			return nil
		}
	default:
		return nil
	}
	notice.CurrentVersion = running
	return notice
}

// Clear forgets the notice, and keeps what was seen.
func Clear(home string) error {
	cache := Read(home)
	if cache.Notice == nil {
		return nil
	}
	cache.Notice = nil
	err := Write(home, cache)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
