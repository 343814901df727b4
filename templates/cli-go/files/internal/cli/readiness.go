package cli

// Tier is the risk of this tool: T0 reads, T1 writes or handles credentials, T2 has actions that cannot be undone.
const Tier = "T2"

// Readiness is the release gate as data.
type Readiness struct {
	Level               string   `json:"level"`
	Reason              string   `json:"reason"`
	FCCRequired         bool     `json:"fcc_required"`
	MockRequired        bool     `json:"mock_upstream_required"`
	LiveSmokeForStable  bool     `json:"live_smoke_required_for_stable"`
	FCCStatus           string   `json:"fcc_status"`
	MockUpstreamStatus  string   `json:"mock_upstream_status"`
	LiveSmokeStatus     string   `json:"live_smoke_status"`
	RequiredEvidence    []string `json:"required_evidence"`
	LiveSmokeRecordPath string   `json:"live_smoke_record"`
}

// readiness is yours to raise: to stable when docs/E2E.md records a live run of the release. The guard in test/ holds
// fcc_status to the truth.
func readiness() Readiness {
	return Readiness{
		Level:               "beta",
		Reason:              "Tested against the mock upstream; no live run is recorded yet",
		FCCRequired:         true,
		MockRequired:        true,
		LiveSmokeForStable:  true,
		FCCStatus:           "verified",
		MockUpstreamStatus:  "verified",
		LiveSmokeStatus:     "missing",
		RequiredEvidence:    []string{"test/guard_test.go", "docs/CONFORMANCE.md", "docs/E2E.md"},
		LiveSmokeRecordPath: "docs/E2E.md",
	}
}
