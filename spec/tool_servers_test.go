package spec

import (
	"slices"
	"testing"
)

// TestServers: every server that an install manifest names by its address is one that a
// person agrees to, however the address is spelled.
func TestServers(t *testing.T) {
	d := &Deployment{
		EndpointURL: "https://API.example.org/v1", Smoke: Smoke{URL: "https://api.example.org/health"},
		KillSwitch: KillSwitch{URL: "https://auth.example.org:8443/token"},
	}
	if got := (&Tool{Deployment: d}).Permissions().Servers; !slices.Equal(got, []string{"api.example.org", "auth.example.org:8443"}) {
		t.Errorf("%q", got)
	}
	d.EndpointURL = "http://api.example.org/v1"
	if got := (&Tool{Deployment: d}).Permissions().Servers; !slices.Contains(got, "http://api.example.org") {
		t.Errorf("a server that is asked in the clear is another one: %q", got)
	}
	if got := (&Tool{}).Permissions().Servers; got != nil {
		t.Errorf("%q", got)
	}
}
