// Package sigtest is a Sigstore instance for tests.
package sigtest

import (
	_ "github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	_ "github.com/digitorus/timestamp"
	_ "github.com/google/certificate-transparency-go"
	_ "github.com/google/certificate-transparency-go/tls"
	_ "github.com/google/certificate-transparency-go/x509"
	_ "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	_ "github.com/sigstore/rekor-tiles/v2/pkg/generated/protobuf"
	_ "github.com/sigstore/rekor-tiles/v2/pkg/note"
	_ "github.com/sigstore/sigstore-go/pkg/bundle"
	_ "github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	_ "github.com/sigstore/sigstore-go/pkg/root"
	_ "github.com/sigstore/sigstore-go/pkg/sign"
	_ "github.com/sigstore/sigstore-go/pkg/tuf"
	_ "github.com/sigstore/sigstore-go/pkg/verify"
	_ "github.com/sigstore/sigstore/pkg/signature"
	_ "github.com/transparency-dev/merkle/rfc6962"
	_ "google.golang.org/protobuf/encoding/protojson"
)
