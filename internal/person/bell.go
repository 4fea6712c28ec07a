package person

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/trusted"
)

// Bell tells the person at a desktop that something waits, and opens the page for
// them when they want to look. One notification stands at a time: the page shows
// everything that waits, and a bell that rings for each call wears people down.
type Bell struct {
	host  *host.Host
	store *approval.Store

	mu      sync.Mutex
	page    *Page // opened for the first notification
	ringing bool
	rang    time.Time
	all     sync.WaitGroup
	ctx     context.Context //nolint:containedctx // of all that was rung for, ended by Close
	end     context.CancelFunc
}

// NewBell makes a bell, which touches nothing until it rings.
func NewBell(h *host.Host, store *approval.Store) *Bell {
	b := &Bell{host: h, store: store}
	b.ctx, b.end = context.WithCancel(context.Background())
	return b
}

// Close takes the page and the notification away.
func (b *Bell) Close() {
	b.end()
	b.all.Wait()
}

// Ring shows a notification for an action that waits, and returns at once. said
// hears why none could be shown, or that the person was told; nil is silence. Where
// one stands, or stood a moment ago, none is added.
func (b *Bell) Ring(e approval.Entry, said func(error)) {
	if said == nil {
		said = func(error) {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.host.Now()
	if b.ringing || e.State != approval.Pending || b.ctx.Err() != nil || !b.rang.IsZero() && now.Sub(b.rang) < limits.BellPause {
		return
	}
	b.ringing, b.rang = true, now
	b.all.Go(func() {
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.ringing = false
		}()
		said(b.ring(e))
	})
}

// ring waits for the person until the action runs out.
func (b *Bell) ring(e approval.Entry) error {
	d, err := desktopOf(b.host)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(b.ctx, e.Until.Sub(b.host.Now()))
	defer cancel()
	// Nothing of the arguments: a notification is shown on locked screens, and
	// some desktops read markup in it. A name and a version are plain letters.
	words := fmt.Sprintf("%s waits for your word. Look at it and decide?", e.Action.What())
	look, err := d.ask(ctx, words)
	if err != nil || !look {
		return err
	}
	link, err := b.link()
	if err != nil {
		return err
	}
	return d.open(ctx, link)
}

// link opens the page where it is not, and makes a link to it.
func (b *Bell) link() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.page == nil {
		page, err := OpenPage(b.store, b.host.Now)
		if err != nil {
			return "", err
		}
		b.page = page
		b.all.Go(func() { _ = page.Serve(b.ctx, false) })
	}
	return b.page.Link(approval.ViaNotification), nil
}

// desktop are the programs by which one kind of desktop is spoken to. Text and links
// are arguments or variables of their own, and never part of a script.
type desktop struct {
	host          *host.Host
	notify, opens []string // programs and their arguments; the words, or the link, follow
	variable      string   // by which notify gets its words, where it takes no argument
	yes           string   // what notify says where the person wants to look
	vars          []string // what they may see of the environment
}

// desktopOf finds the desktop of a person; where there is none the error is of kind
// Unavailable and reason "no_desktop".
func desktopOf(h *host.Host) (*desktop, error) {
	d := &desktop{host: h}
	find := func(argv ...string) []string {
		path, err := trusted.Find(h, argv[0])
		if err != nil {
			return nil
		}
		return append([]string{path}, argv[1:]...)
	}
	switch h.GOOS {
	case "darwin":
		d.notify = find("osascript", "-e", "on run argv", "-e",
			`display dialog (item 1 of argv) buttons {"Not now", "Look"} default button "Not now" with title "patch-git"`, "-e", "end run")
		d.opens, d.yes = find("open"), "button returned:Look"
		d.vars = []string{"HOME", "PATH", "TMPDIR", "__CFBundleIdentifier"}
	case "windows":
		d.notify = find("powershell", "-NoProfile", "-NonInteractive", "-Command",
			"Add-Type -AssemblyName System.Windows.Forms; [System.Windows.Forms.MessageBox]::Show($env:PATCH_GIT_WORDS, 'patch-git', 'YesNo', 'Question', 'Button2')")
		d.opens, d.yes, d.variable = find("rundll32", "url.dll,FileProtocolHandler"), "Yes", "PATCH_GIT_WORDS"
		d.vars = []string{"PATH", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"}
	default:
		if h.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" || h.Getenv("XDG_RUNTIME_DIR") != "" {
			d.notify = find("notify-send", "--app-name=patch-git", "--urgency=critical", "--action=look=Look at it", "--", "patch-git")
			d.opens, d.yes = find("xdg-open"), "look"
		}
		d.vars = []string{"HOME", "PATH", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "BROWSER"}
	}
	if d.notify == nil || d.opens == nil {
		return nil, fault.New(fault.Unavailable, "no_desktop", "there is no desktop here to show a notification on").Hint("patch-git approve")
	}
	return d, nil
}

// ask shows a question and tells whether the person wants to look.
func (d *desktop) ask(ctx context.Context, words string) (bool, error) {
	argv, env := d.notify, d.environment()
	if d.variable != "" {
		env = append(env, d.variable+"="+words)
	} else {
		argv = append(append([]string{}, argv...), words)
	}
	out, err := trusted.Run(ctx, argv, env, "", nil)
	if err != nil {
		return false, err
	}
	if out.Exit != 0 {
		return false, fault.New(fault.Unavailable, "no_desktop", "the notification was not shown: exit code %d", out.Exit)
	}
	return strings.TrimSpace(string(out.Stdout)) == d.yes, nil
}

// openWait is how long a browser may take to say that it cannot open a page.
const openWait = 3 * time.Second

// open shows a page in the person's browser, which may be started by that and then
// lives on for as long as they like.
func (d *desktop) open(ctx context.Context, link string) error {
	ended := make(chan error, 1)
	go func() {
		out, err := trusted.Run(context.WithoutCancel(ctx), append(append([]string{}, d.opens...), link), d.environment(), "", nil)
		if err == nil && out.Exit != 0 && d.host.GOOS != "windows" {
			err = fault.New(fault.Unavailable, "no_browser", "the page could not be opened: exit code %d", out.Exit).Hint("patch-git approve")
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(openWait):
	case <-ctx.Done():
	}
	return nil
}

func (d *desktop) environment() []string {
	var env []string
	for _, name := range d.vars {
		if v := d.host.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
