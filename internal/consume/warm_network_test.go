package consume

import (
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// TestWarmNetwork: what a tool asked its network for is in the record of the call by
// which it did, also where its interpreter waited for that call.
func TestWarmNetwork(t *testing.T) {
	source := kind{name: "say_far", network: "true", answer: `{"text": str(__import__("socket").socket().connect_ex(("10.1.1.1", int(args["text"]))))}`}.source()
	s, refs := pulled(t, source)
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.box.TryUplink(t.Context()); err != nil {
		t.Skipf("no network can be filtered here: %v", err)
	}
	warm := 0
	for i := 0; warm < 2 && i < 100; i++ {
		port := string(rune('1' + i%9))
		ran, err := w.Run(t.Context(), spec.Ref{Name: refs[0].Name}, text(port), RunOptions{Agree: true})
		if err != nil {
			t.Fatal(err)
		}
		if ran.Warm {
			warm++
		}
		net := s.last().Network
		if len(net) != 1 || net[0].Address != "10.1.1.1:"+port || net[0].Verdict != "refused" {
			t.Fatalf("call %d, of a program that waited: %v: %+v", i, ran.Warm, net)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if warm < 2 {
		t.Error("no program waited")
	}
}
