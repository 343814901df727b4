package update

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/strictjson"
)

const (
	issuer       = "https://token.actions.githubusercontent.com"
	maxBundle    = 256 * 1024
	clockSkew    = 10 * time.Minute
	workflowPath = ".github/workflows/release.yml"
)

// mediaTypes are both spellings of the bundle format that `cosign sign-blob --new-bundle-format` writes.
var mediaTypes = []string{
	"application/vnd.dev.sigstore.bundle.v0.3+json",
	"application/vnd.dev.sigstore.bundle+json;version=0.3",
}

// proof is what a verified signature says.
type proof struct {
	identity string
	logIndex int64
}

// signer is the one identity that may sign a release: the release workflow at the tag of the version.
func signer(version string) string {
	return "https://github.com/" + about.Repository + "/" + workflowPath + "@refs/tags/v" + version
}

// verifySignature checks that the signer of a version signed the content. Nothing is fetched: the trust root is the
// embedded one, and the bundle brings everything else.
func verifySignature(content, signature []byte, version string, now time.Time) (proof, error) {
	parsed, err := parseBundle(signature)
	if err != nil {
		return proof{}, integrity("the bundle of checksums.txt is refused: %v", err)
	}
	identity := signer(version)
	result, err := verifyBundle(parsed, content, identity)
	if err != nil {
		return proof{}, integrity("the signature of checksums.txt is refused: %v", err).Because(err)
	}
	for _, stamp := range result.VerifiedTimestamps {
		if stamp.Timestamp.After(now.Add(clockSkew)) {
			return proof{}, integrity("the signature of checksums.txt is from the future, or the clock of this machine is wrong")
		}
	}
	entries, err := parsed.TlogEntries()
	if err != nil || len(entries) != 1 {
		return proof{}, integrity("the signature of checksums.txt has no single log entry")
	}
	return proof{identity: identity, logIndex: entries[0].LogIndex()}, nil
}

func verifyBundle(parsed *bundle.Bundle, content []byte, identity string) (*verify.VerificationResult, error) {
	trusted, err := root.NewTrustedRootFromJSON(trustRoot())
	if err != nil {
		return nil, fmt.Errorf("the trust root cannot be used: %w", err)
	}
	// A certificate of the CA that a certificate log saw, one entry of a transparency log, and a time that one of
	// them or a timestamp authority vouches for.
	verifier, err := verify.NewVerifier(trusted,
		verify.WithSignedCertificateTimestamps(1),
		verify.WithTransparencyLog(1),
		verify.WithObserverTimestamps(1),
	)
	if err != nil {
		return nil, err
	}
	expected, err := verify.NewShortCertificateIdentity(issuer, "", identity, "")
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(content)
	return verifier.Verify(parsed, verify.NewPolicy(
		verify.WithArtifactDigest("sha256", digest[:]), verify.WithCertificateIdentity(expected)))
}

// parseBundle reads a bundle strictly: the verifier ignores members that it does not need, and a bundle with two values
// for one member could be read in two ways.
func parseBundle(text []byte) (*bundle.Bundle, error) {
	if len(text) > maxBundle {
		return nil, fmt.Errorf("it is larger than %d bytes", maxBundle)
	}
	if err := strictjson.Check(text, strictjson.Folded); err != nil {
		return nil, err
	}
	var shape struct {
		MediaType    string          `json:"mediaType"`
		Legacy       json.RawMessage `json:"base64Signature"`
		Signature    json.RawMessage `json:"messageSignature"`
		Envelope     json.RawMessage `json:"dsseEnvelope"`
		Verification struct {
			Certificate json.RawMessage `json:"certificate"`
			Chain       json.RawMessage `json:"x509CertificateChain"`
			PublicKey   json.RawMessage `json:"publicKey"`
			Entries     []struct {
				Proof json.RawMessage `json:"inclusionProof"`
			} `json:"tlogEntries"`
		} `json:"verificationMaterial"`
	}
	if err := json.Unmarshal(text, &shape); err != nil {
		return nil, errors.New("it is not a bundle")
	}
	material := shape.Verification
	switch {
	case shape.Legacy != nil:
		return nil, errors.New("it has the old format of cosign; sign with --new-bundle-format")
	case !slices.Contains(mediaTypes, shape.MediaType):
		return nil, errors.New("its media type is not that of a bundle of version 0.3")
	case shape.Signature == nil || shape.Envelope != nil:
		return nil, errors.New("it does not contain a signature of the file alone")
	case material.Certificate == nil || material.Chain != nil || material.PublicKey != nil:
		return nil, errors.New("it does not contain exactly one certificate")
	case len(material.Entries) != 1 || material.Entries[0].Proof == nil:
		return nil, errors.New("it does not contain exactly one log entry with an inclusion proof")
	}
	parsed := &bundle.Bundle{}
	if err := parsed.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return parsed, checkCertificate(parsed)
}

// checkCertificate wants one name: the verifier looks at the first one only.
func checkCertificate(parsed *bundle.Bundle) error {
	content, err := parsed.VerificationContent()
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	certificate := content.Certificate()
	if certificate == nil {
		return errors.New("it contains no certificate")
	}
	others := len(certificate.DNSNames) + len(certificate.EmailAddresses) + len(certificate.IPAddresses)
	if len(certificate.URIs) != 1 || others != 0 {
		return errors.New("its certificate does not have exactly one name")
	}
	return nil
}
