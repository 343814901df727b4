package update

import (
	_ "embed" // for the trust root
)

// embeddedTrustRoot is the trust root of the public Sigstore instance, as published by the project. It anchors every
// verification; nothing is fetched for one. internal/runtime/README.md says how to renew it.
//
//go:embed trusted_root.json
var embeddedTrustRoot []byte
