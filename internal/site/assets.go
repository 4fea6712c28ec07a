package site

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"path"
	"slices"
)

// What pages load: there is no build, but see slim.
//
//go:embed assets
var embedded embed.FS

// assets are the files that pages load, by path.
func assets() map[string][]byte {
	out := map[string][]byte{}
	for _, e := range entries() {
		data, err := embedded.ReadFile("assets/" + e.Name())
		if err == nil {
			out["assets/"+e.Name()] = slim(data)
		}
	}
	return out
}

func entries() []fs.DirEntry {
	list, err := embedded.ReadDir("assets")
	if err != nil {
		return nil // the compiler put it there
	}
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		return e.IsDir() || !slices.Contains([]string{".js", ".css", ".svg"}, path.Ext(e.Name()))
	})
}

// modules are the scripts that the first one loads at once. The others are those
// of the search, which come when somebody means to search.
func modules() []string { return []string{"find.js", "text.js"} }

// lostPage is 404.html. A host serves it at any depth, from where nothing of the
// registry is found, so its style is inside and allowed by its digest.
type lostPage struct{ Registry, Digest string }

func (p *press) lost(registry string) ([]byte, error) {
	style, err := embedded.ReadFile("assets/style.css")
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(style)
	data := &lostPage{registry, base64.StdEncoding.EncodeToString(digest[:])}
	head, err := p.page("lost-head", data)
	if err != nil {
		return nil, err
	}
	rest, err := p.page("lost-rest", data)
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, style, rest), nil
}
