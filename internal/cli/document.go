package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// isFile tells a file from the name of a tool, which has neither of these.
func isFile(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || slices.Contains([]string{".py", ".json", ".md"}, filepath.Ext(arg))
}

// documentOf reads the manifest that an argument names, and what comes with it: a file
// of the person's own, or an installed tool, whose files are verified now.
func (a *app) documentOf(ctx context.Context, what string) (*manifest.Document, []spec.File, error) {
	if !isFile(what) {
		return a.installedDocument(ctx, what)
	}
	data, err := a.fileOf(what)
	if err != nil {
		return nil, nil, err
	}
	return a.ownDocument(filepath.Base(what), what, data)
}

// fileOf are the bytes of a file that a person names.
func (a *app) fileOf(what string) ([]byte, error) {
	data, err := durable.ReadFile(a.path(what), limits.SourceScan)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(what))
	}
	return data, err
}

// ownDocument reads a file of the person's own as one of that name, and shows what is
// wrong with it.
func (a *app) ownDocument(name, shown string, data []byte) (*manifest.Document, []spec.File, error) {
	doc, findings := manifest.Read(name, data, manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		if !a.wantsJSON() {
			a.printFindings(shown, findings, nil)
		}
		return nil, nil, fault.New(fault.Findings, "manifest", "the manifest of %s is invalid", spec.Quote(shown)).Hint("patch-git check %s", shown)
	}
	return doc, []spec.File{{Path: doc.Tool.Format.MainFile(), Data: data}}, nil
}

// installedDocument reads what the author wrote of an installed release, verified now.
func (a *app) installedDocument(ctx context.Context, name string) (*manifest.Document, []spec.File, error) {
	ref, err := parseRef(name)
	if err != nil {
		return nil, nil, err
	}
	client, err := a.client()
	if err != nil {
		return nil, nil, err
	}
	v, _, err := client.Check(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	doc, _ := manifest.Read(v.Tool().Format.MainFile(), v.Main(), manifest.Strict)
	if doc == nil {
		return nil, nil, fault.New(fault.Internal, "manifest", "the manifest of %s was read and cannot be read again", ref.At())
	}
	return doc, releaseFiles(v), nil
}
