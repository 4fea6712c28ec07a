package judge

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Judge asks one model.
type Judge struct {
	config Config
	wire   *wire
	random io.Reader

	// Say hears why something is not known, for a log; nil is silence. It gets no
	// word of the model.
	Say func(text string)
}

// New makes a judge; it asks nothing yet. client is the host's.
func New(c Config, client func() *http.Client) *Judge {
	j := &Judge{config: c, random: rand.Reader}
	if !c.None() {
		j.wire = newWire(c, client())
	}
	return j
}

// task is one request.
type task struct {
	unit    *Unit
	at      int // of the unit; -1 is a canary
	bad     bool
	wording int
	facts   string
}

// told is what came of one.
type told struct {
	task

	answer answer
	err    error
}

// Run judges material. It returns a judgement whatever happens, but where the
// context ends; that no failure is a yes is for [Judgement] to keep.
func (j *Judge) Run(ctx context.Context, m *Material) (*Judgement, error) {
	out := newJudgement(m)
	if j.config.None() {
		return out.failed(Disabled), nil
	}
	out.Model, out.Prompts = j.config.Model, Prompts()
	units, why := m.Units()
	if why != "" {
		return out.failed(why), nil
	}
	tasks, err := j.tasks(units, m.facts())
	if err != nil {
		return nil, err
	}
	all := j.askAll(ctx, tasks)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.Requests = len(all)
	out.combine(all, len(units), len(tasks))
	return out, nil
}

// tasks are the requests of a run in the order of this run. Where a known text
// stands nobody can tell before.
func (j *Judge) tasks(units []Unit, facts string) ([]task, error) {
	var seed [32]byte
	if _, err := io.ReadFull(j.random, seed[:]); err != nil {
		return nil, fault.New(fault.Internal, "judge", "draw the known texts: %w", err)
	}
	dice := mathrand.New(mathrand.NewChaCha8(seed)) //nolint:gosec // ChaCha8 with a seed that was drawn
	set, err := canarySet()
	if err != nil {
		return nil, fault.New(fault.Internal, "judge", "read the known texts: %w", err)
	}
	drawn := draw(set, dice.IntN)
	if len(drawn) != canaries {
		return nil, fault.New(fault.Internal, "judge", "there are too few known texts")
	}
	var tasks []task
	for i := range units {
		for w := range wordings {
			t := task{unit: &units[i], at: i, wording: w}
			if units[i].Kind == UnitCode {
				t.facts = facts
			}
			tasks = append(tasks, t)
		}
	}
	for i := range drawn {
		tasks = append(tasks, task{unit: &drawn[i].unit, at: -1, bad: drawn[i].bad, wording: i % wordings, facts: drawn[i].facts})
	}
	dice.Shuffle(len(tasks), func(a, b int) { tasks[a], tasks[b] = tasks[b], tasks[a] })
	return tasks, nil
}

// askAll makes the requests, a few at a time. What cannot be mended by asking
// further ends it: a provider that does not answer or does not take the request.
func (j *Judge) askAll(ctx context.Context, tasks []task) []told {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		mu    sync.Mutex
		out   []told
		next  int
		ended bool
		wait  sync.WaitGroup
	)
	take := func() (task, bool) {
		mu.Lock()
		defer mu.Unlock()
		if ended || next == len(tasks) {
			return task{}, false
		}
		next++
		return tasks[next-1], true
	}
	for range limits.JudgeParallel {
		wait.Go(func() {
			for {
				t, ok := take()
				if !ok {
					return
				}
				one := told{task: t}
				one.answer, one.err = j.ask(ctx, t)
				mu.Lock()
				out = append(out, one)
				if f := FailureOf(one.err); one.err != nil && (f == Unreachable || f == Refused) && !ended {
					ended = true
					j.say(one.err)
					stop()
				} else if one.err != nil && !errors.Is(one.err, context.Canceled) {
					j.say(one.err)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return out
}

func (j *Judge) ask(ctx context.Context, t task) (answer, error) {
	s, err := show(t.unit, j.random)
	if err != nil {
		return answer{}, err
	}
	data, err := j.wire.ask(ctx, s.ask(t.wording, t.facts))
	if err != nil {
		return answer{}, err
	}
	return parse(data, s)
}

// say talks of an error, which has no foreign text that is not quoted.
func (j *Judge) say(err error) {
	if j.Say != nil {
		j.Say(err.Error())
	}
}
