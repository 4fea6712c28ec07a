package sigtest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

// TestChanges: each is refused for what it changes, beside the bundle without it.
func TestChanges(t *testing.T) {
	now := time.Now()
	s := instance(t, sigtest.Options{Now: func() time.Time { return now }})
	trust := trusted(t, s)
	cases := map[string]struct {
		change sigtest.Change
		says   string
	}{
		"NoSCT":                         {sigtest.NoSCT, "able to verify 0 SCT"},
		"ForeignSCT":                    {sigtest.ForeignSCT, "able to verify 0 SCT"},
		"NoTimestamp":                   {sigtest.NoTimestamp, "signed timestamps: 0 < 1"},
		"timestamp late":                {sigtest.TimestampAt(now.Add(11 * time.Minute)), "leaf certificate verification failed"},
		"timestamp early":               {sigtest.TimestampAt(now.Add(-time.Minute)), "leaf certificate verification failed"},
		"timestamp older than the root": {sigtest.TimestampAt(now.AddDate(-2, 0, 0)), "signed timestamps: 0 < 1"},
		"NoLog":                         {sigtest.NoLog, "log entries from transparency log: 0 < 1"},
		"DuplicateLog":                  {sigtest.DuplicateLog, "duplicate tlog entries"},
		"LogOtherDigest":                {sigtest.LogOtherDigest, "verifying log entry"},
		"Lifetime past":                 {sigtest.Lifetime(now.Add(-20*time.Minute), now.Add(-10*time.Minute)), "leaf certificate verification failed"},
		"Lifetime future":               {sigtest.Lifetime(now.Add(time.Hour), now.Add(2*time.Hour)), "leaf certificate verification failed"},
		"SAN":                           {sigtest.SAN("https://github.com/acme/tools/.github/workflows/other.yml@refs/heads/main"), "other.yml"},
		"PayloadType":                   {sigtest.PayloadType("text/plain"), "payload"},
	}
	for _, n := range []int{2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22} {
		cases[fmt.Sprintf("WithoutExtension %d", n)] = struct {
			change sigtest.Change
			says   string
		}{sigtest.WithoutExtension(n), "expected"}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			if _, err := open(trust, signed(t, s, claims), claims); err != nil {
				t.Fatalf("without the change: %v", err)
			}
			_, err := open(trust, signed(t, s, claims, cases[name].change), claims)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), cases[name].says) {
				t.Errorf("refused with %v, want %q", err, cases[name].says)
			}
		})
	}
}

// TestHarmlessChanges are refused by nobody: a time that moved is no reason by
// itself, nor is one of the two forms of the issuer.
func TestHarmlessChanges(t *testing.T) {
	now := time.Now()
	s := instance(t, sigtest.Options{Now: func() time.Time { return now }})
	trust := trusted(t, s)
	for name, changes := range map[string][]sigtest.Change{
		"both at another time": {sigtest.TimestampAt(now.Add(-time.Hour)), sigtest.Lifetime(now.Add(-2*time.Hour), now)},
		"within the lifetime":  {sigtest.TimestampAt(now.Add(9 * time.Minute))},
		"the environment":      {sigtest.WithoutExtension(23)},
		"the old issuer":       {sigtest.WithoutExtension(1)},
		"the new issuer":       {sigtest.WithoutExtension(8)},
	} {
		if _, err := open(trust, signed(t, s, claims, changes...), claims); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := open(trust, signed(t, s, claims, sigtest.WithoutExtension(1), sigtest.WithoutExtension(8)), claims); err == nil {
		t.Error("without either form of the issuer: accepted")
	}
}

// TestDuplicateTimestamp counts once.
func TestDuplicateTimestamp(t *testing.T) {
	s := instance(t, sigtest.Options{})
	trust, raw := trusted(t, s), signed(t, s, claims, sigtest.DuplicateTimestamp)
	if _, err := open(trust, raw, claims); err != nil {
		t.Errorf("asked for one: %v", err)
	}
	two := []verify.VerifierOption{verify.WithSignedCertificateTimestamps(1), verify.WithTransparencyLog(1), verify.WithSignedTimestamps(2)}
	if _, err := open(trust, raw, claims, two...); err == nil || !strings.Contains(err.Error(), "duplicate timestamps") {
		t.Errorf("asked for two: %v", err)
	}
}
