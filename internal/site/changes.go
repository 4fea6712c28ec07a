package site

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Bounds of the recent changes.
const (
	maxEvents = 200 // on the page
	maxFeed   = 50  // in the feed
)

// event is one entry of the log.
type event struct {
	Event, Word, Name, Version string
	Day, Date, Time            string // for people, and as the log has it
	Reason                     string
	Href                       string // of the version's page, from the registry's folder
	Index                      int64
	Bad                        bool
	ID                         string // in the feed
}

// events reads the newest entries of the log, newest first.
func (e *edition) events(ctx context.Context, src registry.Source) ([]event, error) {
	var out []event
	from := max(e.head.Log.Size-maxEvents, 0)
	for tile := range ledger.EntryTiles(e.head.Log.Size, from) {
		data, err := src.Read(ctx, tile.Path, limits.EntryTile)
		if err != nil {
			return nil, err
		}
		list, err := tile.Split(data)
		if err != nil {
			return nil, fault.New(fault.NotVerified, "document", "%s: %w", tile.Path, err)
		}
		for i, raw := range list {
			index := tile.First + int64(i)
			if index < from {
				continue
			}
			one, err := ledger.ParseEntry(raw)
			if err != nil {
				return nil, fault.New(fault.NotVerified, "document", "%s: %w", tile.Path, err)
			}
			out = append(out, e.event(one, index))
		}
	}
	slices.Reverse(out)
	return out, nil
}

func (e *edition) event(one *ledger.Entry, index int64) event {
	word := map[ledger.Event]string{
		ledger.EventAccept: "published", ledger.EventYank: "yanked", ledger.EventUnyank: "offered again", ledger.EventRevoke: "revoked",
	}[one.Event]
	return event{
		Event: string(one.Event), Word: word, Name: string(one.Name), Version: string(one.Version), Day: day(one.Time), Date: minute(one.Time), Time: one.Time,
		Reason: sanitize.Fit(one.Reason, cellWidth), Href: versionPath(one.Name, one.Version) + "index.html",
		Index: index, Bad: one.Event == ledger.EventYank || one.Event == ledger.EventRevoke, ID: e.id("entry " + itoa(index)),
	}
}

// versionPath is the folder of the pages of a version.
func versionPath(n spec.Name, v spec.Version) string { return "t/" + string(n) + "/" + string(v) + "/" }

// id names something of the registry for readers of the feed, for ever and
// wherever the feed is served: a UUID of one's own making (RFC 9562, version 8)
// out of a digest of what signs the registry, its name and the thing.
func (e *edition) id(what string) string {
	h := sha256.Sum256([]byte("patch-git/feed/v1\n" + e.doc.Trust.Digest().Hex() + "\n" + string(e.doc.Name) + "\n" + what))
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// changesPage lists what happened, newest first.
type changesPage struct {
	shell
	Events []event
	Older  int64 // entries that are not listed
}

func (e *edition) changes(events []event) *changesPage {
	p := &changesPage{shell: e.at("changes/index.html", "Changes"), Events: events, Older: e.head.Log.Size - int64(len(events))}
	p.InChanges = true
	return p
}

// feedPage is the feed (Atom, RFC 4287). Its times are those of the log: the
// same tree makes the same feed, whenever. Addresses in it are relative, so that
// it is right wherever it is served.
type feedPage struct {
	shell
	ID, Updated string
	Events      []event
}

func (e *edition) feed(events []event) *feedPage {
	p := &feedPage{shell: e.at("feed.xml", ""), ID: e.id("feed"), Updated: e.head.Time, Events: events[:min(len(events), maxFeed)]}
	if len(events) > 0 {
		p.Updated = events[0].Time
	}
	for i, one := range p.Events {
		// XML has no such characters, not even as entities.
		p.Events[i].Reason = strings.Map(func(r rune) rune {
			if r == 0xFFFE || r == 0xFFFF {
				return 0xFFFD
			}
			return r
		}, one.Reason)
	}
	return p
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
