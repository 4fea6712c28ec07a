package ledger

import "golang.org/x/mod/sumdb/tlog"

// PartialTilePaths lists the tiles of a log of a size that are not full, the
// entry tile included: at most one for each level. A larger log has others in
// their place, so these are what a publication can clear away.
func PartialTilePaths(size int64) []string {
	var out []string
	for level := 0; size > 0; level, size = level+1, size>>tileHeight {
		t := tlog.Tile{H: tileHeight, L: level, N: size >> tileHeight, W: int(size & (1<<tileHeight - 1))}
		if t.W == 0 {
			continue
		}
		out = append(out, TilePath(t))
		if level == 0 {
			t.L = -1
			out = append(out, TilePath(t))
		}
	}
	return out
}
