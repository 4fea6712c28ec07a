//go:build linux

package acttest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// pages is a site of GitHub Pages: what was deployed last, with its entity tags,
// ten minutes of caching, gzip where the client takes it, index.html of folders
// and the site's own 404.html.
type pages struct {
	base string // path that the site lies below, such as /tools

	mu          sync.Mutex
	files       map[string][]byte
	deployments int
	asked       []string
}

// deploy takes the tar of an artifact, as deploy-pages hands it over.
func (p *pages) deploy(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	var total int64
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			continue
		case tar.TypeReg:
		default:
			return fmt.Errorf("%s is neither file nor folder, which Pages refuses", h.Name)
		}
		name := path.Clean(h.Name)
		if files[name], err = io.ReadAll(r); err != nil {
			return err
		}
		total += h.Size
	}
	if total > 1<<30 {
		return fmt.Errorf("the site has %d bytes, and Pages takes 1 GiB", total)
	}
	if len(files) == 0 {
		return errors.New("the site is empty")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = files
	p.deployments++
	return nil
}

// file is one of those that are served.
func (p *pages) file(name string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.files[name]
	return data, ok
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	files := p.files
	p.asked = append(p.asked, r.URL.Path)
	p.mu.Unlock()
	name, below := strings.CutPrefix(r.URL.Path, p.base+"/")
	status := http.StatusOK
	data, ok := files[name]
	if !ok && (name == "" || strings.HasSuffix(name, "/")) {
		name += "index.html"
		data, ok = files[name]
	}
	if !ok && name != "" {
		if _, folder := files[name+"/index.html"]; folder {
			http.Redirect(w, r, p.base+"/"+name+"/", http.StatusMovedPermanently)
			return
		}
		if data, ok = files[name+".html"]; ok {
			name += ".html"
		}
	}
	if !ok || !below {
		status, name = http.StatusNotFound, "404.html"
		if data, ok = files[name]; !ok {
			data = []byte("<title>Site not found</title>")
		}
	}
	h := w.Header()
	tag := fmt.Sprintf(`"%.8x-%x"`, sha256.Sum256(data), len(data))
	h.Set("Cache-Control", "max-age=600")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Server", "GitHub.com")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	if status == http.StatusOK {
		// A compressed answer has a weak tag, as nginx makes it.
		weak := strings.TrimPrefix(r.Header.Get("If-None-Match"), "W/")
		h.Set("ETag", tag)
		if weak == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	text := strings.HasPrefix(kind, "text/") || strings.Contains(kind, "json") || strings.Contains(kind, "javascript")
	if text && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		if status == http.StatusOK {
			h.Set("ETag", "W/"+tag)
		}
		w.WriteHeader(status)
		z := gzip.NewWriter(w)
		defer z.Close()
		if r.Method != http.MethodHead {
			_, _ = z.Write(data)
		}
		return
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(data)
	}
}
