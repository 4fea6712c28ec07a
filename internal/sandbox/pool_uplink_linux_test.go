package sandbox_test

import (
	"errors"
	"os"
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestPoolUplink: the network of a program that waited leads to the uplink of the call
// that it serves, and to no earlier one. Where that refuses, nothing runs.
func TestPoolUplink(t *testing.T) {
	s := needUplink(t)
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
	served, stopped, no := 0, 0, error(nil)
	up := func() uplinkOf {
		return uplinkOf{serve: func(l sandbox.Link) (func(), error) {
			served++
			_ = l.Tun.Close()
			return func() { stopped++ }, no
		}}
	}
	job := waiter(t, word, `
import sys
if sys.stdin.read(): open("`+dir+`/ran", "a").write("x")
`)
	job.Mounts = append(job.Mounts, rw(dir))
	job.Network = true
	ran := func() int { b, _ := os.ReadFile(dir + "/ran"); return len(b) }
	for i := range 3 {
		served, stopped = 0, 0
		job.Uplink = up()
		if out := call(t, p, release, job); out.Warm != (i > 0) || served != 1 || stopped != 1 || ran() != i+1 {
			t.Fatalf("call %d: %+v %s, served %d, stopped %d, ran %d", i, out, out.Stderr, served, stopped, ran())
		}
		settled(t, p, word, 1)
		if served != 1 {
			t.Errorf("the uplink of call %d serves what waits", i)
		}
	}
	no = errors.New("no")
	job.Uplink = up()
	if out, err := p.Run(t.Context(), release, job); !errors.Is(err, no) || out.Exit != -1 || ran() != 3 {
		t.Errorf("an uplink that refuses: %+v, %v, ran %d", out, err, ran())
	}
	settled(t, p, word, 1)
	no = nil
	job.Uplink = up()
	if out := call(t, p, release, job); !out.Warm || ran() != 4 {
		t.Errorf("the twin: %+v, ran %d", out, ran())
	}
	settled(t, p, word, 1)
	// Another door is another network, and none is a third.
	for _, other := range []sandbox.Uplink{uplinkOf{doors: []sandbox.Door{{IP: [16]byte{15: 1}, Port: 65535}}, serve: func(l sandbox.Link) (func(), error) {
		for _, f := range append(l.Doors, l.Tun) {
			_ = f.Close()
		}
		return nil, nil
	}}, nil} {
		job.Uplink = other
		if out := call(t, p, release, job); out.Warm || out.Exit != 0 {
			t.Errorf("%+v", out)
		}
	}
}
