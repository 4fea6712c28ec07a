package cli

import "github.com/patch-cat/patch-git/internal/contribute"

// workshop makes the contributor's side on first use.
func (a *app) workshop() (*contribute.Workshop, error) {
	w, err := contribute.New(a.host, "patch-git "+Version)
	if err != nil {
		return nil, err
	}
	if !a.quiet {
		w.Progress = a.out.progress
		w.Warn = a.warn
	}
	return w, nil
}
