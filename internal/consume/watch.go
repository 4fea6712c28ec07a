package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// WatchOptions say where the news begin.
type WatchOptions struct {
	All   bool   // with the first entry of the log
	Since *int64 // with the entry of this index
}

// LogEntry is one entry of a log and where it stands.
type LogEntry struct {
	Index   int64        `json:"index"`
	Time    string       `json:"time"`
	Event   ledger.Event `json:"event"`
	Name    spec.Name    `json:"name"`
	Version spec.Version `json:"version"`
	Release spec.Digest  `json:"release"`
	Reason  string       `json:"reason,omitempty"`
}

// News is what a registry's log has that the user was not shown yet.
type News struct {
	Registry spec.RegistryName `json:"registry"`
	Head     verify.Seen       `json:"head"`
	First    bool              `json:"first"` // the log was never watched before
	Since    int64             `json:"since"` // index of the first entry that is listed
	Entries  []LogEntry        `json:"entries"`

	mark *verify.Seen // where the last watch ended
}

// Watch reads what was added to the log of a registry since the last
// [Client.Watched]. The head is verified against the last one that was seen,
// here and by other commands, and every entry is shown to be a leaf under its
// root. The mark does not move: the caller calls Watched when the user has
// been shown the news.
func (c *Client) Watch(ctx context.Context, name spec.RegistryName, o WatchOptions) (*News, error) {
	var pin toolbox.Pin
	var err error
	if name == "" {
		pin, err = c.onlyPin()
	} else {
		pin, err = c.Box.Pin(name)
	}
	if err != nil {
		return nil, err
	}
	mark, err := c.Box.Watched(pin.Name)
	if err != nil {
		return nil, err
	}
	var news *News
	err = c.answer(ctx, pin, func(src registry.Source) error {
		chain, err := registry.FetchHead(ctx, src)
		if err != nil {
			return err
		}
		head, err := followed(ctx, pin, src, chain)
		if err != nil {
			return err
		}
		read := once(tiles(ctx, src))
		if err := head.Follows(mark, read); err != nil {
			return err
		}
		if news, err = readNews(head, mark, o, read); err != nil {
			return err
		}
		// What the person is shown, later commands know too: what was revoked
		// does not run any more.
		_, err = c.follow(ctx, pin, src, chain)
		return err
	})
	if err != nil {
		return nil, err
	}
	news.Registry = pin.Name
	return news, nil
}

// Watched moves the mark to the end of the news, so that the next watch begins
// there. It stays where the news left entries out that nobody was shown.
func (c *Client) Watched(ctx context.Context, n *News) (moved bool, err error) {
	if n.mark != nil && n.Since > n.mark.Log.Size {
		return false, nil
	}
	return true, c.Box.SetWatched(ctx, n.Registry, n.mark, n.Head)
}

// readNews reads the entries from where the options say.
func readNews(head verify.Head, mark *verify.Seen, o WatchOptions, read ledger.TileReader) (*News, error) {
	root := head.Seen().Log
	n := &News{Head: head.Seen(), First: mark == nil, Since: root.Size, Entries: []LogEntry{}, mark: mark}
	switch {
	case o.Since != nil:
		n.Since = *o.Since
	case o.All:
		n.Since = 0
	case mark != nil:
		n.Since = mark.Log.Size
	}
	if n.Since < 0 || n.Since > root.Size {
		return nil, fault.New(fault.Usage, "since", "the log has %d entries, so none is since %d", root.Size, n.Since)
	}
	if root.Size-n.Since > limits.LogRead {
		return nil, fault.New(fault.Usage, "too_many", "%d entries are new; at most %d are read at once", root.Size-n.Since, int64(limits.LogRead)).
			Hint("--since %d", root.Size-limits.LogRead)
	}
	err := ledger.ReadEntries(root, n.Since, read, func(i int64, e *ledger.Entry) error {
		n.Entries = append(n.Entries, LogEntry{i, e.Time, e.Event, e.Name, e.Version, e.Release, e.Reason})
		return nil
	})
	switch {
	case err == nil:
		return n, nil
	case fault.KindOf(err) == fault.Internal: // of the ledger, which has no kinds
		return nil, fault.New(fault.NotVerified, string(verify.ReasonLog), "the log does not hold what its head states: %w", err)
	}
	return nil, err // could not tell is not "no"
}

// once reads each tile one time: neighbours share those above them.
func once(read ledger.TileReader) ledger.TileReader {
	kept := map[string][]byte{}
	return func(path string) ([]byte, error) {
		if data, ok := kept[path]; ok {
			return data, nil
		}
		data, err := read(path)
		if err == nil {
			kept[path] = data
		}
		return data, err
	}
}
