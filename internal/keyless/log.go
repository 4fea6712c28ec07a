package keyless

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	rekorpb "github.com/sigstore/rekor-tiles/v2/pkg/generated/protobuf"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/internal/limits"
)

// rekorV2 is the version of the log's interface that the type log speaks.
const rekorV2 = 2

// log is the client of a transparency log of version 2. Sigstore-go's own goes
// past our transport, so past the host's proxy and our judgement of what is
// answered, and drops the time that it is given.
type log struct {
	address string
	client  *http.Client
}

func newLog(address string, version uint32, door http.RoundTripper) *sign.Rekor {
	o := &sign.RekorOptions{BaseURL: address, Timeout: logTime, Version: version}
	if version == rekorV2 {
		o.ClientV2 = &log{address, &http.Client{Transport: door, Timeout: logTime}}
	}
	return sign.NewRekor(o)
}

// Add enters a signature and returns the proof that it is in the log.
func (l *log) Add(ctx context.Context, entry any) (*protorekor.TransparencyLogEntry, error) {
	request, ok := entry.(*rekorpb.HashedRekordRequestV002)
	if !ok {
		return nil, fmt.Errorf("a log takes no %T", entry)
	}
	body, err := protojson.Marshal(&rekorpb.CreateEntryRequest{
		Spec: &rekorpb.CreateEntryRequest_HashedRekordRequestV002{HashedRekordRequestV002: request},
	})
	if err != nil {
		return nil, err
	}
	address, err := url.JoinPath(l.address, "api/v2/log/entries")
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err = io.ReadAll(io.LimitReader(resp.Body, limits.Bundle)); err != nil {
		return nil, err
	}
	var e protorekor.TransparencyLogEntry
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("the log's answer is not readable: %w", err)
	}
	return &e, nil
}
