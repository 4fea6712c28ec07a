package mcpserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// FuzzServe: whatever a host sends, the server ends when its input does and has
// written nothing but lines of JSON-RPC, one answer for each request that it took.
func FuzzServe(f *testing.F) {
	hello := initialize("2025-11-25") + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, s := range []string{
		"", "\n\n", "{oops\n", hello, hello + callOf(1, "echo") + "\n" + callOf(1, "echo"), hello + `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		modern(1, "echo", `{}`, "") + "\n" + modern(2, "denied", `[1]`, answerWith("x", `{"a":{"action":"x"}}`)),
		hello + `{"jsonrpc":"2.0","id":9,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		hello + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + callOf(1, "panic"),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{}}}`,
		hello + `{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":null}}` + "\n" + `{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"debug"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte(`wait`)) || bytes.Contains(input, []byte(`\u`)) {
			return // the fake's tool that waits for another hand
		}
		var out, talk safeBuffer
		s := serveFake(t.Context(), t, testHost(t, nil, nil, &talk), newFake())
		p := newPipe(t.Context(), bytes.NewReader(input), &out)
		if err := s.over(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		for id, r := range p.asked {
			if r.awaited > 0 {
				t.Fatalf("%v was not answered", id.Raw())
			}
		}
		for line := range strings.Lines(out.String()) {
			checkLine(t, []byte(line))
		}
		for line := range strings.Lines(talk.String()) {
			if !strings.HasPrefix(line, "patch-git mcp: ") || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("stderr has %q", line)
			}
		}
	})
}

// BenchmarkCall is what a call costs beside what it does: from the host's line to
// the line that answers it, in each era.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		for _, era := range eras {
			b.Run(fmt.Sprintf("%s/%d", era, size), func(b *testing.B) {
				in, hostIn := io.Pipe()
				hostOut, out := io.Pipe()
				fake := newFake()
				fake.started = make(chan string, 1<<20)
				s := serveFake(b.Context(), b, testHost(b, in, out, io.Discard), fake)
				go func() { _ = s.serveStdio(b.Context()) }()
				answers := bufio.NewReaderSize(hostOut, 1<<20)
				ask := func(frame string) {
					if _, err := io.WriteString(hostIn, frame+"\n"); err != nil {
						b.Fatal(err)
					}
				}
				args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", size))
				call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":%s}}`, args)
				if era < handshakes {
					ask(initialize(era))
					if _, err := answers.ReadSlice('\n'); err != nil {
						b.Fatal(err)
					}
					ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				} else {
					call = modern(1, "echo", args, "")
				}
				b.ReportAllocs()
				for b.Loop() {
					ask(call)
					if line, err := answers.ReadSlice('\n'); err != nil || !bytes.Contains(line, []byte(`"result"`)) {
						b.Fatal(string(line), err)
					}
					<-fake.started
				}
				_ = hostIn.Close()
			})
		}
	}
}
