package sigtest

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// tufLife is how long what a repository publishes is valid. TUF's client looks
// at the machine's clock and at no other.
const tufLife = 24 * time.Hour

// TUF is a TUF repository as Sigstore has one, with one key for each role. It
// serves what it published last; [TUF.Put] and [TUF.Keep] make it lie.
type TUF struct {
	Root []byte // the first root.json, which clients begin from

	root    *metadata.Metadata[metadata.RootType]
	keys    map[string]ed25519.PrivateKey
	version int64

	mu    sync.Mutex
	files map[string][]byte
	order []string // paths, as they were put
}

var tufRoles = []string{metadata.ROOT, metadata.TIMESTAMP, metadata.SNAPSHOT, metadata.TARGETS}

// NewTUF makes a repository that has published nothing.
func NewTUF() (*TUF, error) {
	r := &TUF{keys: map[string]ed25519.PrivateKey{}, files: map[string][]byte{}}
	r.root = metadata.Root(time.Now().Add(tufLife))
	for _, role := range tufRoles {
		if err := r.newKey(role); err != nil {
			return nil, err
		}
	}
	first, err := signed(r.root, r.keys[metadata.ROOT])
	r.Root = first
	return r, err
}

func (r *TUF) newKey(role string) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	key, err := metadata.KeyFromPublicKey(public)
	if err != nil {
		return err
	}
	if old, ok := r.root.Signed.Roles[role]; ok {
		for _, id := range old.KeyIDs {
			if err := r.root.Signed.RevokeKey(id, role); err != nil {
				return err
			}
		}
	}
	r.keys[role] = private
	return r.root.Signed.AddKey(key, role)
}

// Rotate gives the role, which is not root, another key.
func (r *TUF) Rotate(role string) error {
	if err := r.newKey(role); err != nil {
		return err
	}
	r.root.Signed.Version++
	data, err := signed(r.root, r.keys[metadata.ROOT])
	if err == nil {
		r.Put(fmt.Sprintf("/%d.root.json", r.root.Signed.Version), data)
	}
	return err
}

// Publish makes the targets those of the repository from now on.
func (r *TUF) Publish(targets map[string][]byte) error {
	return r.PublishUntil(time.Now().Add(tufLife), targets)
}

// PublishUntil is Publish with the time at which the repository goes stale.
func (r *TUF) PublishUntil(stale time.Time, targets map[string][]byte) error {
	r.version++
	end := time.Now().Add(tufLife)
	list := metadata.Targets(end)
	list.Signed.Version = r.version
	files := map[string][]byte{}
	for name, data := range targets {
		info, err := metadata.TargetFile().FromBytes(name, data, "sha256")
		if err != nil {
			return err
		}
		list.Signed.Targets[name] = info
		files[fmt.Sprintf("/targets/%s.%s", info.Hashes["sha256"], name)] = data
	}
	snapshot := metadata.Snapshot(end)
	snapshot.Signed.Version = r.version
	snapshot.Signed.Meta["targets.json"] = metadata.MetaFile(r.version)
	timestamp := metadata.Timestamp(stale)
	timestamp.Signed.Version = r.version
	timestamp.Signed.Meta["snapshot.json"] = metadata.MetaFile(r.version)
	var err error
	if files[fmt.Sprintf("/%d.targets.json", r.version)], err = signed(list, r.keys[metadata.TARGETS]); err != nil {
		return err
	}
	if files[fmt.Sprintf("/%d.snapshot.json", r.version)], err = signed(snapshot, r.keys[metadata.SNAPSHOT]); err != nil {
		return err
	}
	if files["/timestamp.json"], err = signed(timestamp, r.keys[metadata.TIMESTAMP]); err != nil {
		return err
	}
	for path, data := range files {
		r.Put(path, data)
	}
	return nil
}

// signed returns the document with one signature.
func signed[T metadata.Roles](m *metadata.Metadata[T], key ed25519.PrivateKey) ([]byte, error) {
	signer, err := signature.LoadSigner(key, crypto.Hash(0))
	if err != nil {
		return nil, err
	}
	m.ClearSignatures()
	if _, err := m.Sign(signer); err != nil {
		return nil, err
	}
	return m.ToBytes(false)
}

// Put serves other bytes at a path; nil takes the file away.
func (r *TUF) Put(path string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = append(r.order, path)
	if r.files[path] = data; data == nil {
		delete(r.files, path)
	}
}

// Get returns what is served at the path that ends so, of several the newest.
func (r *TUF) Get(end string) (path string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.order {
		if strings.HasSuffix(p, end) {
			path = p
		}
	}
	return path, bytes.Clone(r.files[path])
}

// Keep returns what is served now; calling what it returns serves that again.
func (r *TUF) Keep() (back func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := maps.Clone(r.files)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.files = maps.Clone(files)
	}
}

func (r *TUF) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	data, ok := r.files[req.URL.Path]
	r.mu.Unlock()
	if !ok {
		http.NotFound(w, req)
		return
	}
	_, _ = w.Write(data)
}
