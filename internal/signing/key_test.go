package signing_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func saved(t *testing.T) (*signing.Key, string) {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys", "registry.pem")
	if err := key.Save(file); err != nil {
		t.Fatal(err)
	}
	return key, file
}

// TestKeyFile: what is saved is loaded, only for its owner, and never lost.
func TestKeyFile(t *testing.T) {
	key, file := saved(t)
	again, err := signing.LoadKey(file)
	if err != nil || !bytes.Equal(again.Trust().Key, key.Trust().Key) {
		t.Fatalf("the key reads back as another: %v", err)
	}
	other, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Save(file); err == nil {
		t.Error("a key was overwritten, and with it a registry lost")
	}
	if _, err := signing.LoadKey(file + ".missing"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no key at all: %v", err)
	}
	if runtime.GOOS == "windows" {
		return // a mode says nothing there
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o666} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := signing.LoadKey(file); fault.KindOf(err) != fault.Denied {
			t.Errorf("a key of mode %04o: %v", mode, err)
		}
	}
}

// TestOtherKeysAreRefused: only an ECDSA key on P-256 alone in its file.
func TestOtherKeysAreRefused(t *testing.T) {
	_, file := saved(t)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "no PEM": []byte("secret"), "two keys": append(bytes.Clone(good), good...),
		"a public key": bytes.ReplaceAll(good, []byte("PRIVATE"), []byte("PUBLIC")),
		"P-384":        pemOf(t, p384), "Ed25519": pemOf(t, edwards),
	} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := signing.LoadKey(file); fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := signing.LoadKey(file); err != nil {
		t.Errorf("the key as it was: %v", err)
	}
}

func pemOf(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// TestSigning is deterministic, so that a publication that was cut short ends
// in the same bytes, and stops with its context.
func TestSigning(t *testing.T) {
	key, _ := saved(t)
	s := ledger.NewStatement("pkg:patch-git/demo/tools", spec.DigestOf(nil), ledger.PredicateHead, ledger.HeadPredicate{Registry: ledger.RegistryID{Name: "demo/tools"}, Seq: 1})
	one, err := key.Sign(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := key.Sign(t.Context(), s); err != nil || !bytes.Equal(one, two) {
		t.Errorf("signing twice gives two bundles: %v", err)
	}
	root := ledger.LogRoot{Size: 3, Root: spec.DigestOf([]byte("root"))}
	note, err := key.SignCheckpoint(t.Context(), "demo/tools", root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ledger.OpenCheckpoint(note, "demo/tools", key.Trust().Key); err != nil || got != root {
		t.Errorf("the checkpoint reads back as %v, %v", got, err)
	}
	if note, err := key.SignCheckpoint(t.Context(), "demo/tools", ledger.LogRoot{Size: -1}); err == nil {
		t.Errorf("a checkpoint that no client takes was signed: %s", note)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := key.Sign(stopped, s); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("after the end of its context: %v", err)
	}
}
