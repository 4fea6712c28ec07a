//go:build linux

package acttest

import (
	"fmt"
	"testing"
)

// TestPublishKilled: the machine that publishes fails, at the beginning of each
// step, while things are signed, before the branch is pushed and right after.
// Whoever reads meanwhile finds a whole tree, and the next run publishes what
// this one did not.
func TestPublishKilled(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	reader := g.sits(t, nil)
	reader.does(t, "registry", "add", "git+https://"+gitHost+"/"+registryRepo)
	// The steps of an honest run, to know where a run can die.
	var steps []string
	g.onStep = func(_ *run, s stepStart) string {
		steps = append(steps, s.Job+"/"+s.Step)
		return ""
	}
	g.commit(t, "honest", map[string]string{"tool_honest": "0.1.0"})
	if r := g.play1(t); r.conclusion() != "success" {
		t.Fatal(r.conclusion())
	}
	type death struct {
		name string
		arm  func()
	}
	var deaths []death
	for i, name := range steps {
		deaths = append(deaths, death{fmt.Sprintf("step %d, %s", i, name), func() {
			n := 0
			g.onStep = func(r *run, _ stepStart) string {
				if n++; n == i+1 {
					r.kill()
					return "the machine is gone"
				}
				return ""
			}
		}})
	}
	deaths = append(deaths,
		death{"before the first signature", func() { g.onSign = func(r *run) { r.kill() } }},
		death{"between signatures", func() {
			n := 0
			g.onSign = func(r *run) {
				if n++; n == 2 {
					r.kill()
				}
			}
		}},
		death{"before the push", func() { g.onPush = func(j *liveJob) { j.run.kill() } }},
		death{"after the push", func() { g.onPushed = func(j *liveJob) { j.run.kill() } }},
	)
	if len(steps) < 6 {
		t.Fatalf("the steps are %q", steps)
	}
	for i, d := range deaths {
		name := fmt.Sprintf("tool_%c", 'a'+i)
		g.commit(t, d.name, map[string]string{name: "0.1.0"})
		d.arm()
		r := g.play1(t)
		g.onStep, g.onSign, g.onPush, g.onPushed = nil, nil, nil, nil
		if r.conclusion() != "cancelled" {
			t.Errorf("%s: the run did not die: %s", d.name, r.conclusion())
		}
		reader.does(t, "log", "verify")
		again := g.rerun(r)
		g.play1(t)
		if again.conclusion() != "success" {
			t.Errorf("%s: the next run is a %s", d.name, again.conclusion())
		}
		reader.does(t, "pull", name+"@0.1.0")
		if _, ok := g.site.file("v1/releases/" + name[:2] + "/" + name + "/0.1.0/tool.py"); !ok {
			t.Errorf("%s: it is not on the site", d.name)
		}
	}
	reader.does(t, "log", "verify")
}
