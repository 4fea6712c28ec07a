package sandbox

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// driverNames are the drivers of all systems, in the order in which they are
// tried. The container comes last: it wakes up somebody else's machinery, and
// is slower than all others together.
var driverNames = [...]string{"namespaces", "landlock", "bubblewrap", "container", "seatbelt"}

// DriverNames are the names that Options.Driver may have.
func DriverNames() []string { return slices.Clone(driverNames[:]) }

// Options say how to open a sandbox. Now is compulsory.
type Options struct {
	// Now measures durations; main hands down its clock.
	Now func() time.Time
	// Driver is the only driver allowed, one of DriverNames; "" takes the
	// first that works.
	Driver string
	// Cache is a file that remembers which driver works until the next boot,
	// so that one command need not try; "" tries every time. A driver asked
	// for by name has a file of its own beside it. It can only ever choose
	// among drivers that protect.
	Cache string
	// Temp is where a driver without private memory makes the scratch
	// directories of its runs: absolute, real, "" is /tmp.
	Temp string
}

// cache is the file for what opts ask for.
func (o Options) cache() string {
	if o.Cache == "" || o.Driver == "" {
		return o.Cache
	}
	return o.Cache + "-" + o.Driver
}

// driver is one way to confine a program.
type driver interface {
	name() string
	// open is what the driver cannot enforce, whatever the job, with a control
	// group around it or without.
	open(grouped bool) []string
	// start starts the job, which is checked, in a control group or with nil in
	// none of its own. A rehearsal sets everything up and lets no program run.
	// clean removes what the run leaves behind; it is called after the tree
	// ended.
	start(j Job, g *group, rehearsal bool) (t *tree, clean func(), err error)
}

// grouper is a driver whose runs can begin in a control group of ours.
type grouper interface{ grouped() }

// Sampled is in NotEnforced where no control group bounds the tree.
const Sampled = "memory: the sum over all processes is sampled every 50 ms, so a burst can exceed the limit before it ends the run, and what no process has mapped is not counted"

// Sandbox runs jobs with the driver that was chosen when it was opened. It is
// safe for concurrent use.
type Sandbox struct {
	opts   Options
	driver driver
	groups *groups     // nil: limits over the tree are watched
	links  atomic.Bool // a job can have an Uplink, as far as this process knows

	mu    sync.Mutex
	spare chan *spare // nil, or soon one spare or a closed channel
}

// Open finds the driver that works here. An error is of kind Denied, reason
// "sandbox_unavailable", when none does, and says why for each.
func Open(ctx context.Context, opts Options) (*Sandbox, error) {
	if opts.Now == nil {
		return nil, fault.New(fault.Internal, "no_clock", "sandbox options have no clock")
	}
	if s := Remembered(opts); s != nil {
		return s, nil
	}
	drivers, err := allowed(opts)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Denied {
		e.Hints = append(instead(ctx, opts), e.Hints...)
	}
	if err != nil {
		return nil, err
	}
	d, groups, err := choose(ctx, opts, drivers)
	if err != nil {
		return nil, err
	}
	return &Sandbox{opts: opts, driver: d, groups: groups}, nil
}

// Remembered is Open for those who cannot wait: nil unless the cache says which
// driver works.
func Remembered(opts Options) *Sandbox {
	drivers, err := allowed(opts)
	if err != nil || opts.Now == nil {
		return nil
	}
	known, groups := remembered(opts.cache())
	for _, d := range drivers {
		if d.name() == known {
			return &Sandbox{opts: opts, driver: d, groups: groups}
		}
	}
	return nil
}

// allowed are the drivers of this system that opts permits, best first.
func allowed(opts Options) ([]driver, error) {
	all := drivers(opts)
	if opts.Driver == "" {
		return all, nil
	}
	for _, d := range all {
		if d.name() == opts.Driver {
			return []driver{d}, nil
		}
	}
	if !slices.Contains(driverNames[:], opts.Driver) {
		return nil, fault.New(fault.Usage, "unknown_driver", "there is no sandbox driver called %s; the drivers are %s",
			spec.Quote(opts.Driver), strings.Join(driverNames[:], ", "))
	}
	return nil, unavailable("the sandbox driver "+opts.Driver+" is for another system than "+runtime.GOOS, elsewhere()...)
}

// choose tries the drivers and remembers the first that works. A control group
// is tried with it, and done without where that does not work.
func choose(ctx context.Context, opts Options, drivers []driver) (driver, *groups, error) {
	var why, hints []string
	own, _ := findGroups("")
	for _, d := range drivers {
		g, err := own, rehearse(ctx, d, own, Job{})
		if err != nil && own != nil {
			g, err = nil, rehearse(ctx, d, nil, Job{})
		}
		if err == nil {
			remember(opts.cache(), d.name(), g)
			return d, g, nil
		}
		if ctx.Err() != nil {
			return nil, nil, fault.New(fault.KindOf(ctx.Err()), "run_cancelled", "choice of a sandbox was stopped: %w", ctx.Err())
		}
		why, hints = append(why, d.name()+": "+err.Error()), append(hints, advice(d.name(), err)...)
	}
	if opts.Driver == "" {
		return nil, nil, unavailable(strings.Join(append([]string{noDriver}, why...), "; "), append(hints, elsewhere()...)...)
	}
	return nil, nil, unavailable("the sandbox driver "+strings.Join(why, "; "), append(instead(ctx, opts), hints...)...)
}

// instead names a driver that works in the place of the one that was asked for
// and does not. It is for a person to read: nothing takes it by itself.
func instead(ctx context.Context, opts Options) []string {
	asked := opts.Driver
	opts.Driver = ""
	for _, d := range drivers(opts) {
		if d.name() != asked && rehearse(ctx, d, nil, Job{}) == nil {
			return []string{"--sandbox " + d.name() + " works here"}
		}
	}
	return nil
}

const noDriver = "nothing on this host can confine a tool"

// unavailable is the refusal to run a tool without protection.
func unavailable(why string, hints ...string) error {
	e := fault.New(fault.Denied, "sandbox_unavailable", "%s", why)
	for _, h := range hints {
		e = e.Hint("%s", h)
	}
	return e.Hint("patch-git doctor").
		Hint("patch-git run --unsafe-no-sandbox runs the tool with all of your rights")
}

// Run runs the job to its end. An error means that the job did not run as
// asked: kind Usage for a job that makes no sense, Denied when a rule of it
// cannot be enforced or a mount is not what it seems, Unavailable when the
// host lacks something, Interrupted when ctx ended it. Whatever a started
// program does is in the Outcome.
func (s *Sandbox) Run(ctx context.Context, job Job) (out Outcome, err error) {
	job, err = job.checked()
	if err != nil {
		return Outcome{Exit: -1}, err
	}
	defer func() { // whichever driver it was: the next call asks again
		if fault.ReasonOf(err) == reasonNoUplink {
			s.links.Store(false)
			forget(s.uplinkCache())
		}
	}()
	out, err = s.run(ctx, s.driver, s.groups, job)
	var refused *hostRefusal
	if !errors.As(err, &refused) {
		return out, err
	}
	// The host said no to the driver itself, for example after a change of
	// its settings. Choose anew, by trying; the Outcome tells what ran.
	forget(s.opts.cache())
	drivers, err := allowed(s.opts)
	if err != nil {
		return Outcome{Exit: -1}, err
	}
	d, groups, err := choose(ctx, s.opts, drivers)
	if err != nil {
		return Outcome{Exit: -1}, err
	}
	if out, err = s.run(ctx, d, groups, job); errors.As(err, &refused) {
		return Outcome{Exit: -1}, unavailable(noDriver + "; " + d.name() + ": " + refused.Error())
	}
	return out, err
}

func (s *Sandbox) run(ctx context.Context, d driver, groups *groups, job Job) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{Exit: -1}, fault.New(fault.KindOf(err), "run_cancelled", "run was stopped: %w", err)
	}
	if err := canHide(d, job); err != nil {
		return Outcome{Exit: -1}, err
	}
	warm := s.takeSpare()
	if warm != nil && (d != s.driver || !warm.serves(job)) {
		warm.discard()
		warm = nil
	}
	if warm == nil {
		var err error
		if warm, err = begin(d, groups, job, false); err != nil {
			return Outcome{Exit: -1}, err
		}
	}
	return s.serve(ctx, d, warm, job)
}

// serve has a program that was started do its job, and ends it.
func (s *Sandbox) serve(ctx context.Context, d driver, warm *spare, job Job) (Outcome, error) {
	t := warm.t
	defer warm.clean()
	began := s.opts.Now()
	if warm.up != nil {
		if err := warm.up.to(job.Uplink); err != nil {
			t.fed = make(chan struct{})
			close(t.fed) // nothing is to come
			t.discard()
			return Outcome{Exit: -1}, err
		}
	}
	switch {
	case job.Talk != nil:
		t.converse(job)
	case job.Late && warm.job != nil:
		t.feedNow(job)
		if warm.later != nil && t.linger != nil {
			release := t.linger()
			defer func() { warm.later(release) }()
		}
	case job.Late:
		t.feed(job)
	}
	out, err := t.supervise(ctx, job, began, s.opts.Now)
	select {
	case err = <-t.shut: // the program did not start
		return Outcome{Exit: -1}, err
	default:
	}
	if err != nil {
		return out, err
	}
	out.Driver, out.Warm = d.name(), warm.job != nil
	out.NotEnforced = append(d.open(t.group != nil), out.NotEnforced...)
	if job.Network && job.Uplink == nil && d.name() != (none{}).name() {
		out.NotEnforced = append(out.NotEnforced, HostRoutes)
	}
	return out, nil
}

// begin starts a job's program in a control group of its own, or where that
// cannot be had at this moment without one: the outcome says so.
func begin(d driver, groups *groups, job Job, rehearsal bool) (*spare, error) {
	if _, ok := d.(grouper); !ok {
		groups = nil
	}
	g, err := groups.make(job.Limits)
	if err != nil && rehearsal {
		return nil, err
	}
	t, clean, err := d.start(job, g, rehearsal)
	if err != nil {
		g.remove()
		return nil, err
	}
	t.group = g
	return &spare{t: t, clean: func() { g.remove(); clean() }}, nil
}

// rehearsalTime is how long a host may take to build an empty sandbox.
const rehearsalTime = 10 * time.Second

// rehearse does everything of a run of such a job but the program.
func rehearse(ctx context.Context, d driver, groups *groups, job Job) error {
	job.Argv, job.Dir = []string{"/"}, ScratchDir
	job.Limits = Limits{Wall: rehearsalTime}.withDefaults()
	s, err := begin(d, groups, job, true)
	if err != nil {
		return err
	}
	defer s.clean()
	_, err = s.t.supervise(ctx, job, time.Time{}, func() time.Time { return time.Time{} })
	return err
}

// Driver is the name of the driver that was chosen.
func (s *Sandbox) Driver() string { return s.driver.name() }

// Probe tries every driver of this system that opts allows, whatever a cache
// says.
func Probe(ctx context.Context, opts Options) []DriverReport {
	var reports []DriverReport
	own, why := findGroups("")
	all, _ := allowed(opts) // what is wrong with the options, Open says
	for _, d := range all {
		reports = append(reports, probe(ctx, d, own, why))
	}
	return reports
}

var errNoGroup = errors.New("another program starts what this driver runs")

// probe tries one driver, with control groups and without, and with a network.
func probe(ctx context.Context, d driver, own *groups, why error) DriverReport {
	r := DriverReport{Name: d.name()}
	if _, ok := d.(grouper); !ok {
		own, why = nil, errNoGroup
	}
	if own != nil {
		if why = rehearse(ctx, d, own, Job{}); why == nil {
			r.Works, r.Group, r.NotEnforced = true, own.dir, d.open(true)
		}
	}
	if !r.Works {
		if err := rehearse(ctx, d, nil, Job{}); err != nil {
			r.Reason, r.Hints = err.Error(), advice(d.name(), err)
			return r
		}
		r.Works, r.NoGroup, r.NotEnforced = true, why.Error(), d.open(false)
	}
	if err := rehearse(ctx, d, nil, Job{Network: true, Uplink: nowhere{}}); err != nil {
		r.NoUplink = err.Error()
	}
	return r
}

// hostRefusal is the failure of a step that only this host's settings or
// kernel decide, so that another driver may still work.
type hostRefusal struct{ err error }

func (r *hostRefusal) Error() string { return r.err.Error() }

func (r *hostRefusal) Unwrap() error { return r.err }
