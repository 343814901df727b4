// Package sigstore is a Sigstore for tests, and for releases that a test build of this tool believes. No program that is
// released imports it, and none trusts what it signs.
package sigstore

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"time"

	"aos.invalid/tool/internal/about"
)

// Sigstore is one in memory: a certificate authority whose certificates a log has seen, and a transparency log
// with inclusion proofs and checkpoints. It can inject one fault at a time. The virtual Sigstore of sigstore-go makes
// neither certificates with timestamps of a log nor bundles, so the unchanged policy of the updater could not be tested
// with it.
type Sigstore struct {
	now           time.Time
	root, issuing *ecdsa.PrivateKey
	rootCert      *x509.Certificate
	issuingCert   *x509.Certificate
	ct, log       *ecdsa.PrivateKey
}

// Signing says how something is signed, and what is wrong with it.
type Signing struct {
	Identity string
	Issuer   string
	Fault    string
}

const githubIssuer = "https://token.actions.githubusercontent.com"

// Release is how the release workflow signs a version.
func Release(version string) Signing {
	return Signing{
		Identity: "https://github.com/" + about.Repository + "/.github/workflows/release.yml@refs/tags/v" + version,
		Issuer:   githubIssuer,
	}
}

// New makes an instance with keys of its own.
func New() *Sigstore {
	s := &Sigstore{now: time.Now().Add(-30 * time.Second).UTC().Truncate(time.Second)}
	s.root, s.issuing, s.ct, s.log = newKey(), newKey(), newKey(), newKey()
	s.rootCert = s.authority("root", s.root, nil, s.root)
	s.issuingCert = s.authority("issuing", s.issuing, s.rootCert, s.root)
	return s
}

func newKey() *ecdsa.PrivateKey {
	return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
}

// must returns the value, and panics on an error: a test cannot continue without its signature.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (s *Sigstore) authority(name string, key *ecdsa.PrivateKey, parent *x509.Certificate, signer *ecdsa.PrivateKey) *x509.Certificate {
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{Organization: []string{"tests"}, CommonName: name},
		NotBefore:             s.now.Add(-400 * 24 * time.Hour),
		NotAfter:              s.now.Add(3650 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	if parent == nil {
		parent = template
	} else {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
	}
	return s.create(template, parent, key, signer)
}

func (s *Sigstore) create(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) *x509.Certificate {
	return must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer))))
}

// TrustRoot is the document that anchors a verification.
func (s *Sigstore) TrustRoot() []byte {
	from := s.now.Add(-399 * 24 * time.Hour).Format(time.RFC3339)
	log := func(address string, key *ecdsa.PrivateKey) map[string]any {
		return map[string]any{
			"baseUrl": address, "hashAlgorithm": "SHA2_256", "logId": map[string]any{"keyId": b64(keyID(key))},
			"publicKey": map[string]any{
				"rawBytes": b64(public(key)), "keyDetails": "PKIX_ECDSA_P256_SHA_256", "validFor": map[string]any{"start": from},
			},
		}
	}
	return encode(map[string]any{
		"mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
		"tlogs":     []any{log("https://rekor.tests.invalid", s.log)},
		"ctlogs":    []any{log("https://ct.tests.invalid", s.ct)},
		"certificateAuthorities": []any{map[string]any{
			"subject": map[string]any{"organization": "tests", "commonName": "root"}, "uri": "https://ca.tests.invalid",
			"certChain": map[string]any{"certificates": []any{
				map[string]any{"rawBytes": b64(s.issuingCert.Raw)}, map[string]any{"rawBytes": b64(s.rootCert.Raw)},
			}},
			"validFor": map[string]any{"start": from},
		}},
		"timestampAuthorities": []any{},
	})
}

// Extensions of certificates.
var (
	issuerExtension    = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 8}
	timestampExtension = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}
)

// certificate is one of the authority for a key, with the promise of the certificate log.
func (s *Sigstore) certificate(key *ecdsa.PrivateKey, how Signing) *x509.Certificate {
	name := must(url.Parse(how.Identity))
	issuer := must(asn1.MarshalWithParams(how.Issuer, "utf8"))
	template := &x509.Certificate{
		SerialNumber:    big.NewInt(77),
		NotBefore:       s.now.Add(-time.Minute),
		NotAfter:        s.now.Add(9 * time.Minute),
		KeyUsage:        x509.KeyUsageDigitalSignature,
		ExtKeyUsage:     []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		URIs:            []*url.URL{name},
		ExtraExtensions: []pkix.Extension{{Id: issuerExtension, Value: issuer}},
	}
	authority, signer := s.issuingCert, s.issuing
	switch how.Fault {
	case "expired certificate":
		template.NotBefore, template.NotAfter = s.now.Add(-2*time.Hour), s.now.Add(-time.Hour)
	case "foreign authority":
		signer = newKey()
		authority = s.authority("issuing", signer, nil, signer)
	case "not for code":
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	case "two names":
		other, _ := url.Parse("https://example.com/other")
		template.URIs = append(template.URIs, other)
	case "no certificate log":
		return s.create(template, authority, key, signer)
	}
	logged := s.create(template, authority, key, signer)
	if how.Fault == "promise for another certificate" {
		template.SerialNumber = big.NewInt(78)
	}
	template.ExtraExtensions = append(template.ExtraExtensions, s.promise(logged, authority, how))
	return s.create(template, authority, key, signer)
}

// promise is what the certificate log says about a certificate (RFC 6962).
func (s *Sigstore) promise(logged, authority *x509.Certificate, how Signing) pkix.Extension {
	key := s.ct
	if how.Fault == "foreign certificate log" {
		key = newKey()
	}
	moment := binary.BigEndian.AppendUint64(nil, uint64(logged.NotBefore.UnixMilli()))
	issuerHash := sha256.Sum256(authority.RawSubjectPublicKeyInfo)
	length := binary.BigEndian.AppendUint32(nil, uint32(len(logged.RawTBSCertificate)))[1:]
	signed := join([]byte{0, 0}, moment, []byte{0, 1}, issuerHash[:], length, logged.RawTBSCertificate, []byte{0, 0})
	signature := sign(key, signed)
	entry := join([]byte{0}, keyID(s.ct), moment, []byte{0, 0, 4, 3}, size16(len(signature)), signature)
	value := must(asn1.Marshal(join(size16(len(entry)+2), size16(len(entry)), entry)))
	return pkix.Extension{Id: timestampExtension, Value: value}
}

// Sign makes the bundle of a file.
func (s *Sigstore) Sign(content []byte, how Signing) []byte {
	key := newKey()
	certificate := s.certificate(key, how)
	signer := key
	if how.Fault == "bad signature" {
		signer = newKey()
	}
	signature := sign(signer, content)
	digest := sha256.Sum256(content)
	material := map[string]any{
		"certificate": map[string]any{"rawBytes": b64(certificate.Raw)},
		"tlogEntries": []any{s.entry(digest[:], signature, certificate, how)},
	}
	bundle := map[string]any{
		"mediaType":            "application/vnd.dev.sigstore.bundle.v0.3+json",
		"verificationMaterial": material,
		"messageSignature": map[string]any{
			"messageDigest": map[string]any{"algorithm": "SHA2_256", "digest": b64(digest[:])}, "signature": b64(signature),
		},
	}
	switch how.Fault {
	case "no log entry":
		material["tlogEntries"] = []any{}
	case "two log entries":
		entries, _ := material["tlogEntries"].([]any)
		material["tlogEntries"] = append(entries, entries[0])
	case "older media type":
		bundle["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.1"
	case "no media type":
		delete(bundle, "mediaType")
	case "old format of cosign":
		return encode(map[string]any{"base64Signature": b64(signature), "cert": b64(certificate.Raw)})
	case "two contents":
		bundle["dsseEnvelope"] = map[string]any{"payload": "", "payloadType": "x", "signatures": []any{}}
	case "no JSON":
		return []byte("signed, honestly")
	}
	return encode(bundle)
}

// entry is the entry of the transparency log for a signature, with its proof.
func (s *Sigstore) entry(digest, signature []byte, certificate *x509.Certificate, how Signing) map[string]any {
	if how.Fault == "entry of another file" {
		other := sha256.Sum256([]byte("another file"))
		digest = other[:]
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
	body := encode(map[string]any{"apiVersion": "0.0.1", "kind": "hashedrekord", "spec": map[string]any{
		"data":      map[string]any{"hash": map[string]any{"algorithm": "sha256", "value": hex.EncodeToString(digest)}},
		"signature": map[string]any{"content": b64(signature), "publicKey": map[string]any{"content": b64(block)}},
	}})
	key := s.log
	if how.Fault == "foreign log" {
		key = newKey()
	}
	moment := s.now.Unix()
	if how.Fault == "entry of the future" {
		moment = s.now.Add(8 * time.Minute).Add(24 * time.Hour).Unix()
	}
	const index, treeSize = 1003, 2
	other, leaf := leafHash([]byte("another entry")), leafHash(body)
	root := sha256.Sum256(join([]byte{1}, other, leaf))
	proofHash := append([]byte(nil), other...)
	if how.Fault == "bad inclusion proof" {
		proofHash[0] ^= 1
	}
	const origin = "rekor.tests.invalid - 42"
	note := fmt.Sprintf("%s\n%d\n%s\n", origin, treeSize, b64(root[:]))
	noteKey := key
	if how.Fault == "bad checkpoint" {
		noteKey = newKey()
	}
	hinted := join(keyID(s.log)[:4], sign(noteKey, []byte(note)))
	checkpoint := fmt.Sprintf("%s\n\u2014 rekor.tests.invalid %s\n", note, b64(hinted))
	promised := encode(map[string]any{
		"body": b64(body), "integratedTime": moment, "logID": hex.EncodeToString(keyID(s.log)), "logIndex": index,
	})
	promiseKey := key
	if how.Fault == "bad promise" {
		promiseKey = newKey()
	}
	entry := map[string]any{
		"logIndex": fmt.Sprint(index), "logId": map[string]any{"keyId": b64(keyID(s.log))},
		"kindVersion":       map[string]any{"kind": "hashedrekord", "version": "0.0.1"},
		"canonicalizedBody": b64(body),
		"integratedTime":    fmt.Sprint(moment),
		"inclusionPromise":  map[string]any{"signedEntryTimestamp": b64(sign(promiseKey, promised))},
		"inclusionProof": map[string]any{
			"logIndex": "1", "treeSize": fmt.Sprint(treeSize), "rootHash": b64(root[:]), "hashes": []any{b64(proofHash)},
			"checkpoint": map[string]any{"envelope": checkpoint},
		},
	}
	if how.Fault == "no inclusion proof" {
		delete(entry, "inclusionProof")
	}
	return entry
}

func sign(key *ecdsa.PrivateKey, content []byte) []byte {
	digest := sha256.Sum256(content)
	return must(ecdsa.SignASN1(rand.Reader, key, digest[:]))
}

func public(key *ecdsa.PrivateKey) []byte {
	return must(x509.MarshalPKIXPublicKey(&key.PublicKey))
}

func keyID(key *ecdsa.PrivateKey) []byte {
	sum := sha256.Sum256(public(key))
	return sum[:]
}

func leafHash(content []byte) []byte {
	sum := sha256.Sum256(join([]byte{0}, content))
	return sum[:]
}

func size16(length int) []byte {
	return binary.BigEndian.AppendUint16(nil, uint16(length))
}

func join(parts ...[]byte) []byte {
	return bytes.Join(parts, nil)
}

func b64(content []byte) string {
	return base64.StdEncoding.EncodeToString(content)
}

func encode(document any) []byte {
	return must(json.Marshal(document))
}
