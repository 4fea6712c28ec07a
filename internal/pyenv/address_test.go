package pyenv

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

func TestInside(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "0.0.0.0": true, "::": true, "10.1.2.3": true, "172.16.0.1": true, "172.31.255.255": true,
		"192.168.0.1": true, "169.254.169.254": true, "100.64.0.1": true, "192.0.0.1": true, "224.0.0.1": true, "255.255.255.255": true,
		"240.0.0.1": true, "fe80::1": true, "fe80::1%eth0": true, "fc00::1": true, "fd12::1": true, "ff02::1": true, "::ffff:127.0.0.1": true,
		"::ffff:10.0.0.1": true, "64:ff9b::a00:1": true, "64:ff9b::7f00:1": true, "2002:7f00:1::": true, "2002:c0a8:1::1": true, "fec0::1": true,
		"64:ff9b:1::1": true, "2001::1": true,
		// The twins, each next door.
		"128.0.0.1": false, "126.255.255.255": false, "11.0.0.1": false, "172.15.0.1": false, "172.32.0.1": false, "192.167.0.1": false, "169.253.1.1": false,
		"100.63.0.1": false, "100.128.0.1": false, "198.18.0.1": false, "203.0.113.1": false, "2001:db8::1": false, "223.0.0.1": false, "2606:4700::1": false, "::ffff:11.0.0.1": false,
		"64:ff9b::b00:1": false, "2002:b00:1::": false,
	} {
		if got := inside(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// A closure cannot make the client ask what only this machine reaches, neither
// by number, nor by name, nor by a redirect. The twin is a host that the person
// named.
func TestAddressInside(t *testing.T) {
	var knocks atomic.Int64
	c := newCellar(t)
	c.handle = func(w http.ResponseWriter, _ *http.Request, b []byte) { knocks.Add(1); _, _ = w.Write(b) }
	wheel := c.add("a", member{name: "m.py", data: "x = 1\n"})
	path := "/" + wheel.SHA256.Hex() + "/" + wheel.File
	_, port, err := net.SplitHostPort(strings.TrimPrefix(c.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		f := fetching(t)
		f.client = newClient(http.DefaultClient, nil)
		wheel.URL = "http://" + host + ":" + port + path
		err := f.take(t, wheel)
		if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "wheel_address" || !strings.Contains(strings.Join(fault.HintsOf(err), " "), WheelHosts) {
			t.Errorf("%s: got %v (%s), want wheel_address", host, err, fault.ReasonOf(err))
		}
	}
	// Whatever a name means is looked at when it is dialled.
	named := newClient(&http.Client{Transport: &http.Transport{}}, nil)
	named.Transport.(*doorman).known = nil
	if _, err := named.Transport.(*doorman).outside.DialContext(t.Context(), "tcp", "localhost:"+port); err == nil || !strings.Contains(err.Error(), "not an address of the public internet") {
		t.Errorf("got %v, want the dial refused", err)
	}
	if knocks.Load() != 0 {
		t.Errorf("got %d knocks, want none", knocks.Load())
	}
	wheel.URL = c.URL + path
	f := fetching(t)
	f.client = newClient(http.DefaultClient, knownHosts(func(name string) string { return map[string]string{WheelHosts: "elsewhere, 127.0.0.1:" + port}[name] }))
	if err := f.take(t, wheel); err != nil || knocks.Load() != 1 {
		t.Errorf("named: got %v after %d knocks, want it fetched", err, knocks.Load())
	}
	// A known host that sends one on to another inside is not followed there.
	sly := httptest.NewServer(http.RedirectHandler(c.URL+path, http.StatusFound))
	t.Cleanup(sly.Close)
	wheel.URL = sly.URL + "/x"
	f = fetching(t)
	f.client = newClient(http.DefaultClient, []string{strings.TrimPrefix(sly.URL, "http://")})
	if err := f.take(t, wheel); fault.ReasonOf(err) != "wheel_address" || knocks.Load() != 1 {
		t.Errorf("redirect: got %v after %d knocks, want wheel_address", err, knocks.Load())
	}
}

// Behind a proxy the proxy looks names up; addresses written as numbers are
// still refused here.
func TestAddressBehindProxy(t *testing.T) {
	var asked atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Store(r.URL.String()); http.NotFound(w, r) }))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at)}}, nil)
	get := func(address string) error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	if err := get("http://10.0.0.1/x"); err == nil || asked.Load() != nil {
		t.Errorf("got %v, the proxy was asked for %v, want a refusal", err, asked.Load())
	}
	if err := get("http://wheels.example/x"); err != nil || asked.Load() != "http://wheels.example/x" {
		t.Errorf("got %v, the proxy was asked for %v, want it asked", err, asked.Load())
	}
}

func TestKnownHosts(t *testing.T) {
	got := knownHosts(func(name string) string {
		return map[string]string{
			WheelHosts: " a.example , B.example:8443,,[::1]:9", "UV_DEFAULT_INDEX": "https://user:secret@c.example/simple", "PIP_INDEX_URL": "http://d.example/",
			"UV_INDEX_URL": "::",
		}[name]
	})
	if want := []string{"a.example:443", "b.example:8443", "[::1]:9", "c.example:443", "d.example:80"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
