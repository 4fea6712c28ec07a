package person

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/paths"
)

// TestOtherUsers: a link that another user of this machine found is good for nothing, and
// is not used up. The twin is one's own browser.
func TestOtherUsers(t *testing.T) {
	p, err := OpenPage(approval.Open(paths.Paths{Root: t.TempDir()}, time.Now), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	link := p.Link(approval.ViaPage)
	ask := func(foreign bool) int {
		p.others = func(from, page string) bool {
			if from != "127.0.0.1:5000" || page != p.host {
				t.Errorf("asked about %s and %s", from, page)
			}
			return foreign
		}
		r := httptest.NewRequest(http.MethodGet, link, nil)
		r.RemoteAddr = "127.0.0.1:5000"
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Code
	}
	if code := ask(true); code != http.StatusForbidden {
		t.Errorf("another user: %d", code)
	}
	if code := ask(false); code != http.StatusOK {
		t.Errorf("the twin: %d", code)
	}
}

// TestOwnerOf reads the table of sockets, and what is none.
func TestOwnerOf(t *testing.T) {
	if runtime.GOARCH == "s390x" {
		t.Skip("the numbers below are of the other kind of machine")
	}
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:1388 01 00000000:00000000 00:00000000 00000000  1000        0 102 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:1388 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 103 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:138
`
	at := netip.MustParseAddrPort
	for name, c := range map[string]struct {
		from, to string
		uid      int
		ok       bool
	}{
		"the client":     {"127.0.0.1:5000", "127.0.0.1:8080", 1001, true},
		"the server":     {"127.0.0.1:8080", "127.0.0.1:5000", 1000, true},
		"another port":   {"127.0.0.1:5001", "127.0.0.1:8080", 0, false},
		"another server": {"127.0.0.1:5000", "127.0.0.1:8081", 0, false},
		"IPv6":           {"[::1]:5000", "[::1]:8080", 0, false},
	} {
		if uid, ok := ownerOf([]byte(table), at(c.from), at(c.to)); uid != c.uid || ok != c.ok {
			t.Errorf("%s: %d, %v", name, uid, ok)
		}
	}
	for _, bad := range []string{"", "\n", "x", strings.Repeat("0100007F:1388 ", 3), "0: 0100007F:1388 0100007F:1F90 01 0 0 0 x"} {
		if uid, ok := ownerOf([]byte(bad), at("127.0.0.1:5000"), at("127.0.0.1:8080")); ok {
			t.Errorf("%q is of %d", bad, uid)
		}
	}
}

// TestOwnConnection: the system's own table has a connection of this program's, which is
// this user's.
func TestOwnConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no such table")
	}
	lis, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	conn, err := net.Dial("tcp4", lis.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	from, page := conn.LocalAddr().String(), lis.Addr().String()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Skip(err)
	}
	if uid, ok := ownerOf(table, netip.MustParseAddrPort(from), netip.MustParseAddrPort(page)); !ok || uid != os.Geteuid() {
		t.Errorf("%d, %v", uid, ok)
	}
	if otherUsers(from, page) {
		t.Error("this user is another one")
	}
}
