package github

import (
	"context"
	"crypto/sha1" //nolint:gosec // the name that git gives to an object
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Blob reads a file by its object. Its bytes are hashed as git does and
// compared with sha: others are NotVerified, reason "digest". More than most
// bytes are Findings, reason "too_large", and are not read.
func (c *Client) Blob(ctx context.Context, repo Repo, sha string, most int64) ([]byte, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	doing := "read the object " + sha
	data, _, err := c.gh.Git.GetBlobRaw(atMost(ctx, most), repo.Owner, repo.Name, sha)
	if err != nil {
		return nil, c.explain(err, doing)
	}
	if got := blobSHA(data, len(sha)); got != sha {
		return nil, fault.New(fault.NotVerified, "digest", "%s: GitHub sent the object %s", doing, got)
	}
	return data, nil
}

// blobSHA is git's name of a file, by SHA-1 or, where names have 64 digits, by
// SHA-256.
func blobSHA(data []byte, digits int) string {
	h := sha256.New()
	if digits == 2*sha1.Size {
		h = sha1.New() //nolint:gosec // see above
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
