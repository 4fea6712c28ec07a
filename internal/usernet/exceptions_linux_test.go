package usernet_test

import (
	"strings"
	"testing"
)

// TestInsideExceptions: what the person names is reached by the words that
// were named, at the port that was named, and nothing beside it.
func TestInsideExceptions(t *testing.T) {
	inside(t)
	type question struct {
		allowed string // separated by spaces
		spot    spot
		want    string // the beginning of the answer
	}
	together := map[string][]question{}
	for _, q := range []question{
		{"192.168.7.7", spot{"tcp", "192.168.7.7", 80}, "hi 192.168.7.7"},
		{"192.168.7.7", spot{"udp", "192.168.7.7", 90}, "hi 192.168.7.7"},
		{"192.168.7.7:80", spot{"tcp", "192.168.7.7", 80}, "hi 192.168.7.7"},
		{"192.168.7.7:90", spot{"tcp", "192.168.7.7", 80}, "ECONNREFUSED"},
		{"192.168.7.7:80", spot{"tcp", "172.16.5.5", 80}, "ECONNREFUSED"},
		{"192.168.7.7:80", spot{"udp", "192.168.7.7", 90}, "ECONNREFUSED"},
		{"[fd77::7]:80", spot{"tcp", "fd77::7", 80}, "hi fd77::7"},
		{"169.254.169.254:80", spot{"tcp", "169.254.169.254", 80}, "hi 169.254.169.254"},
		{"metadata.test:80", spot{"tcp", "metadata.test", 80}, "ECONNREFUSED"},
		{"nas.test:80", spot{"tcp", "nas.test", 80}, "hi "},
		{"nas.test:80", spot{"tcp", "192.168.7.7", 80}, "hi 192.168.7.7"},
		{"nas.test:90", spot{"udp", "192.168.7.7", 90}, "hi 192.168.7.7"},
		{"nas.test:81", spot{"tcp", "nas.test", 80}, "ECONNREFUSED"},
		{"storage.local", spot{"tcp", "storage.local", 80}, "hi 192.168.7.7"}, // by the machine's hosts file
		{neighbour, spot{"tcp", neighbour, 80}, "hi " + neighbour},
		{nearV4 + ":8080", spot{"tcp", nearV4, 8080}, "hi " + nearV4},
		{nearOwn4 + ":8080", spot{"tcp", nearOwn4, 8080}, "hi " + nearOwn4},
		{"own.test:8080", spot{"tcp", nearOwn4, 8080}, "hi " + nearOwn4},
		{"7.7.7.7:8080", spot{"tcp", "7.7.7.7", 8080}, "hi 7.7.7.7"},
		// The loopback, as the person named it.
		{"127.0.0.1:8080", spot{"tcp", "127.0.0.1", 8080}, "hi 127.0.0.1"},
		{"127.0.0.1:8080", spot{"udp", "127.0.0.1", 8080}, "hi 127.0.0.1"},
		{"127.0.0.1:8080", spot{"tcp", "127.0.0.1", 8081}, "ECONNREFUSED"},
		{"127.0.0.1:8080", spot{"tcp", "::1", 8080}, "ECONNREFUSED"},
		{"127.0.0.1:8080", spot{"tcp", nearV4, 8080}, "ECONNREFUSED"},
		{"127.0.0.1:8080", spot{"tcp", "2130706433", 8080}, "hi 127.0.0.1"},
		{"[::1]:8080", spot{"tcp", "::1", 8080}, "hi ::1"},
		{"[::1]:8080", spot{"tcp", "127.0.0.1", 8080}, "ECONNREFUSED"},
		{"localhost:8080", spot{"tcp", "localhost", 8080}, "hi "},
		{"localhost:8081", spot{"tcp", "localhost", 8081}, "hi 127.0.0.1"}, // it is on one of the two
		{"localhost:8081", spot{"tcp", "::1", 8081}, "hi 127.0.0.1"},
		{"myself.test:8081", spot{"tcp", "myself.test", 8081}, "hi 127.0.0.1"},
		{"rebind.test:8080", spot{"tcp", "rebind.test", 8080}, "hi "},
		{"127.0.0.1:53", spot{"tcp", "127.0.0.1", 53}, "ECONNRESET"}, // a port that takes a right to open; nobody is there
		{"127.0.0.1:9999", spot{"tcp", "127.0.0.1", 9999}, "ECONNRESET"},
		// What is of the internet stays it.
		{"192.168.7.7", spot{"tcp", "8.8.8.8", 80}, "hi 8.8.8.8"},
		{"8.8.8.8:80", spot{"tcp", "1.1.1.1", 80}, "hi 1.1.1.1"},
	} {
		together[q.allowed] = append(together[q.allowed], q)
	}
	for allowed, list := range together {
		var spots []spot
		for _, q := range list {
			spots = append(spots, q.spot)
		}
		var got []string
		confined(t, with(t, strings.Fields(allowed)...), probes, spots, &got)
		for i, q := range list {
			if !strings.HasPrefix(got[i], q.want) {
				t.Errorf("allowed %q, %v: got %q, want %q", allowed, q.spot, got[i], q.want)
			}
		}
	}
}

// TestInsideNames asks the questions that libraries ask.
func TestInsideNames(t *testing.T) {
	inside(t)
	source := `
def ask(name, kind, tcp, flags=0x100, count=1):
    q = struct.pack(">6H", 0x1234, flags, count, 0, 0, 0)
    q += b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0" + struct.pack(">2H", kind, 1)
    s = socket.create_connection(("192.0.0.1", 53)) if tcp else socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    try:
        if tcp:
            s.sendall(struct.pack(">H", len(q)) + q)
            n, = struct.unpack(">H", s.recv(2))
            r = b""
            while len(r) < n: r += s.recv(n - len(r))
        else:
            s.connect(("192.0.0.1", 53)); s.send(q); r = s.recv(65535)
    except TimeoutError:
        return "silence"
    except (OSError, struct.error) as e:
        return "closed"
    i, f, _, answers = struct.unpack(">4H", r[:8])
    return "%x rcode %d answers %d tc %d size>512 %d" % (i, f & 15, answers, f >> 9 & 1, len(r) > 512)
def names(host, family=0):
    try: return sorted({a[4][0] for a in socket.getaddrinfo(host, 80, family)})
    except socket.gaierror as e: return "gai %d" % e.errno
out = {}
for name in ["web.test", "alias.test", "intra", "intra.corp.test", "nowhere.test", "empty.test", "broken.test", "localhost", "nas.test", "storage.local", "WEB.test."]:
    out[name] = names(name)
for label, name, kind in [("txt", "text.test", 16), ("big", "big.test", 16), ("aaaa", "web.test", 28), ("a", "alias.test", 1), ("none", "nowhere.test", 1), ("soa", "web.test", 6)]:
    for tcp in (False, True):
        out[label + (" tcp" if tcp else " udp")] = ask(name, kind, tcp)
out["response"] = ask("web.test", 1, False, flags=0x8100)
out["two"] = ask("web.test", 1, False, count=2)
out["resolv.conf"] = open("/etc/resolv.conf").read()
out["hosts"] = open("/etc/hosts").read()
print(json.dumps(out))
`
	var got map[string]any
	confined(t, with(t), source, nil, &got)
	list := func(s ...any) []any { return s }
	want := map[string]any{
		"web.test": list("2001:4860:4860::8888", "8.8.8.8"), "WEB.test.": list("2001:4860:4860::8888", "8.8.8.8"), "alias.test": list("2001:4860:4860::8888", "8.8.8.8"),
		"intra": list("1.1.1.1"), "intra.corp.test": list("1.1.1.1"), "nas.test": list("192.168.7.7", "fd77::7"),
		"nowhere.test": "gai -2", "empty.test": "gai -5", "broken.test": "gai -3", "storage.local": "gai -2",
		"txt udp": "1234 rcode 0 answers 1 tc 0 size>512 0", "txt tcp": "1234 rcode 0 answers 1 tc 0 size>512 0",
		"big udp": "1234 rcode 0 answers 0 tc 1 size>512 0", "big tcp": "1234 rcode 0 answers 3 tc 0 size>512 1",
		"aaaa udp": "1234 rcode 0 answers 1 tc 0 size>512 0", "aaaa tcp": "1234 rcode 0 answers 1 tc 0 size>512 0",
		"a udp": "1234 rcode 0 answers 2 tc 0 size>512 0", "a tcp": "1234 rcode 0 answers 2 tc 0 size>512 0",
		"none udp": "1234 rcode 3 answers 0 tc 0 size>512 0", "none tcp": "1234 rcode 3 answers 0 tc 0 size>512 0",
		"soa udp": "1234 rcode 0 answers 0 tc 0 size>512 0", "soa tcp": "1234 rcode 0 answers 0 tc 0 size>512 0",
		"response": "silence", "two": "silence",
		"resolv.conf": "nameserver 192.0.0.1\nsearch corp.test\noptions timeout:2 attempts:1\n",
		"hosts":       "127.0.0.1 localhost\n::1 localhost\n",
	}
	for k, w := range want {
		if g, ok := got[k]; !ok || !equal(g, w) {
			t.Errorf("%s: got %v, want %v", k, g, w)
		}
	}
	// A name that is allowed is found as the machine finds it.
	var spots []string
	confined(t, with(t, "storage.local:80", "myself.test:8081"), `print(json.dumps([socket.gethostbyname("storage.local"), socket.gethostbyname("myself.test")]))`, nil, &spots)
	if strings.Join(spots, " ") != "192.168.7.7 127.0.0.1" {
		t.Errorf("got %q", spots)
	}
}
