package consume

import (
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/spec"
)

// comparedFor is how long it is remembered that a file is the stated one: a disk that
// forgets changes no times.
const comparedFor = 24 * time.Hour

// compare makes sure that an installed index is the one with a digest. To read all
// of it is most of what a search takes, so that it is done once in a day for as long as
// the system says that nobody has changed the file, as far as that can be known. What is
// remembered stands under a code, so that who plants an index cannot plant that too.
func (c *Client) compare(dir string, segment spec.Digest) error {
	began := c.Host.Now()
	known := sealed.Open(c.Host.Paths.Compared(), c.Host.Now, comparedFor, 1)
	stamp, name, ok := comparedAs(dir, segment)
	if ok && string(known.Load(name)) == "=" {
		return nil
	}
	if err := index.Check(dir, segment); err != nil {
		return err
	}
	if ok && stamp.Settled(began) && stamp.Same() {
		known.Save(name, []byte("="))
	}
	return nil
}

// comparedAs is what the system says of the file now, and the name of what is known of it;
// not ok where that is too little.
func comparedAs(dir string, segment spec.Digest) (durable.Stamp, spec.Digest, bool) {
	stamp, err := durable.Stamped(index.SegmentPath(dir))
	if err != nil {
		return stamp, spec.Digest{}, false
	}
	key, ok := stamp.Key()
	return stamp, sealed.Name("patch-git/compared/v1", segment.String(), key), ok
}
