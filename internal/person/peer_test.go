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
   3: 0000000000000000FFFF00000100007F:1389 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 104 1 0000000000000000 20 4 30 10 -1
   4: 0100007F:138
`
	at := netip.MustParseAddrPort
	for name, c := range map[string]struct {
		from, to string
		uid      int
		ok       bool
	}{
		"the client":     {"127.0.0.1:5000", "127.0.0.1:8080", 1001, true},
		"the server":     {"127.0.0.1:8080", "127.0.0.1:5000", 1000, true},
		"by IPv6":        {"127.0.0.1:5001", "127.0.0.1:8080", 1002, true},
		"another port":   {"127.0.0.1:5002", "127.0.0.1:8080", 0, false},
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

// TestStranger: whoever cannot be told is none of the user's own.
func TestStranger(t *testing.T) {
	for _, c := range []struct {
		uid   int
		found bool
		want  bool
	}{{1000, true, false}, {0, true, false}, {1001, true, true}, {0, false, true}, {1000, false, true}} {
		if got := stranger(c.uid, c.found, 1000); got != c.want {
			t.Errorf("%+v: %v", c, got)
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
	_, port, _ := net.SplitHostPort(lis.Addr().String())
	for _, by := range []string{"127.0.0.1:" + port, "[::ffff:127.0.0.1]:" + port} {
		conn, err := net.Dial("tcp", by)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		at, err := lis.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		from, page := at.RemoteAddr().String(), lis.Addr().String()
		var tables []byte
		for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			table, err := os.ReadFile(name)
			if err != nil && name == "/proc/net/tcp" {
				t.Skip(err)
			}
			tables = append(tables, table...)
		}
		if uid, ok := ownerOf(tables, netip.MustParseAddrPort(from), netip.MustParseAddrPort(page)); !ok || uid != os.Geteuid() {
			t.Errorf("%s: %d, %v", by, uid, ok)
		}
		if otherUsers(from, page) {
			t.Errorf("%s: this user is another one", by)
		}
	}
}
