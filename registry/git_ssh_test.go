package registry_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// sshKey makes a key pair.
func sshKey(t *testing.T) (ed25519.PrivateKey, ssh.Signer) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, signer
}

// serveSSH lets one user key run git-upload-pack and nothing else.
func serveSSH(t *testing.T, host ssh.Signer, user ssh.PublicKey) net.Addr {
	t.Helper()
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(user.Marshal()) {
			return nil, fmt.Errorf("another key")
		}
		return nil, nil
	}}
	config.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveConn(conn, config)
		}
	}()
	return l.Addr()
}

func serveConn(conn net.Conn, config *ssh.ServerConfig) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		ch, requests, err := c.Accept()
		if err != nil {
			return
		}
		for r := range requests {
			if r.Type != "exec" || len(r.Payload) < 4 {
				_ = r.Reply(false, nil)
				continue
			}
			_ = r.Reply(true, nil)
			dir := strings.Trim(strings.TrimPrefix(string(r.Payload[4:]), "git-upload-pack "), "'")
			cmd := exec.Command("git", "upload-pack", dir)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
			cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
			// Not cmd.Stdin: Run would wait for the client to end its input.
			in, err := cmd.StdinPipe()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(in, ch)
				_ = in.Close()
			}()
			err = cmd.Run()
			status := []byte{0, 0, 0, 0}
			if err != nil {
				status[3] = 1
			}
			_, _ = ch.SendRequest("exit-status", false, status)
			_ = ch.Close()
		}
	}
}

// Over ssh the agent's key opens the door and the known host is asked for.
func TestGitSSH(t *testing.T) {
	repo := newRepository(t)
	repo.commit(registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0")), true)
	home := t.TempDir()
	t.Setenv("HOME", home)
	_, host := sshKey(t)
	key, user := sshKey(t)
	addr := serveSSH(t, host, user.PublicKey())

	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: &key}); err != nil {
		t.Fatal(err)
	}
	// A short path: those of sockets have about a hundred bytes.
	dir, err := os.MkdirTemp("", "agent") //nolint:usetesting // the path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skipf("no unix sockets here: %v", err)
	}
	t.Cleanup(func() { socket.Close() })
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket.Addr().String())
	hosts := filepath.Join(home, "known_hosts")
	t.Setenv("SSH_KNOWN_HOSTS", hosts)
	known := func(key ssh.PublicKey) {
		t.Helper()
		_, port, _ := net.SplitHostPort(addr.String())
		if err := os.WriteFile(hosts, fmt.Appendf(nil, "[127.0.0.1]:%s %s", port, ssh.MarshalAuthorizedKey(key)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	location := "git+ssh://git@" + addr.String() + repo.dir
	o := registry.Options{CacheDir: t.TempDir(), Now: time.Now}

	known(host.PublicKey())
	src := mustOpen(t, location, o)
	for _, s := range []registry.Source{src, src.Refresh()} {
		if c, err := registry.Fetch(t.Context(), s, csv); err != nil || len(c.Files) != 2 {
			t.Fatalf("%d files, %v", len(c.Files), err)
		}
	}
	repo.commit(registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"), registrytest.Release("text_diff", "1.0.0")), false)
	if c, err := registry.FetchRecord(t.Context(), src.Refresh(), "text_diff"); err != nil || c.Record == nil {
		t.Errorf("the next commit: %v", err)
	}
	if _, err := mustOpen(t, "git+ssh://git@"+addr.String()+"/no/such.git", o).Read(t.Context(), "head.json", 1000); fault.ReasonOf(err) != "no_registry" {
		t.Errorf("no repository: %v, want no_registry", err)
	}
	// Another host stands where the known one was.
	known(user.PublicKey())
	if _, err := src.Refresh().Read(t.Context(), "head.json", 1000); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("another host key: %v, want unavailable", err)
	}
	known(host.PublicKey())
	if err := ring.RemoveAll(); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Refresh().Read(t.Context(), "head.json", 1000); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("no key: %v, want unavailable", err)
	}
}
