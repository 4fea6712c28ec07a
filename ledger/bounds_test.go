package ledger_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestImpossibleLogSizes: near 2^63 the arithmetic of the log never ends, and
// a registry can sign any number. The largest size that is allowed gives an
// answer, whatever it is.
func TestImpossibleLogSizes(t *testing.T) {
	k, der := newKey(t)
	read := func(string) ([]byte, error) { return make([]byte, 8192), nil }
	for _, size := range []int64{-1, limits.LogSize + 1, math.MaxInt64} {
		root := ledger.LogRoot{Size: size}
		if _, err := ledger.OpenCheckpoint(signed(t, k, der, root), "demo/tools", der); err == nil {
			t.Errorf("a checkpoint of %d entries is read", size)
		}
		h := someHead()
		h.Log.Size = size
		if _, err := ledger.ParseHead(ledger.Encode(h)); err == nil {
			t.Errorf("a head of %d entries is read", size)
		}
		p := &ledger.Proof{Entry: someEntry(1), Index: 1}
		if p.Included(root) == nil {
			t.Errorf("an entry is included in %d", size)
		}
		if ledger.Consistent(ledger.LogRoot{Size: 5}, root, read) == nil || ledger.Consistent(root, ledger.LogRoot{Size: 5}, read) == nil {
			t.Errorf("%d entries are consistent with 5", size)
		}
	}
	most := ledger.LogRoot{Size: limits.LogSize}
	if got, err := ledger.OpenCheckpoint(signed(t, k, der, most), "demo/tools", der); err != nil || got != most {
		t.Errorf("the largest checkpoint: %v, %v", got, err)
	}
	if ledger.Consistent(ledger.LogRoot{Size: 5}, most, read) == nil {
		t.Error("tiles of zeros prove a log")
	}
}

// TestRevocationNeedsAReason: "" is how the list answers "not revoked".
func TestRevocationNeedsAReason(t *testing.T) {
	list := ledger.NewRevoked()
	list.Revoked = []ledger.RevokedRelease{{Name: "csv_to_json", Version: "1.0.0", Reason: "malware"}}
	good := ledger.Encode(list)
	r, err := ledger.ParseRevoked(good)
	if err != nil || r.Reason("csv_to_json", "1.0.0") != "malware" {
		t.Fatalf("%v, %v", r, err)
	}
	if _, err := ledger.ParseRevoked(bytes.Replace(good, []byte("malware"), nil, 1)); err == nil {
		t.Error("a revocation without a reason is read, and says that nothing is revoked")
	}
	if reason := r.Reason(spec.Name("csv_to_json"), "1.0.1"); reason != "" {
		t.Errorf("another version is revoked: %q", reason)
	}
}
