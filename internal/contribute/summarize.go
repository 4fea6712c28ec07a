package contribute

import (
	"context"

	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// Summarize tells what an untrusted text is about, by the model that the
// environment configures and by what is found without one. Nothing is kept.
func (w *Workshop) Summarize(ctx context.Context, text string) (*judge.Summary, error) {
	j, err := w.model()
	if err != nil {
		return nil, err
	}
	return j.Summarize(ctx, text, detect)
}

// detect finds in a text, without a model, what may act on one that reads it.
func detect(text string) []judge.Flag {
	if len(sanitize.Scan(text)) > 0 {
		return []judge.Flag{judge.FlagEncoded}
	}
	return nil
}
