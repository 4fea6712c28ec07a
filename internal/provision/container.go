package provision

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// container has an engine pull an image by its digest, which the engine holds the
// content against, and asks it afterwards whether that is what it has.
func (w *work) container(ctx context.Context) error {
	image := w.d.Install.Image
	if host := imageHost(image); host != "" && w.p.Reach != nil {
		if err := w.p.Reach(ctx, &url.URL{Scheme: "https", Host: host}); err != nil {
			return err
		}
	}
	engine, err := w.p.engine(ctx)
	if err != nil {
		return err
	}
	w.p.progress("pulling "+image, 0, 0)
	env := w.p.engineEnv()
	out, err := w.p.Run(ctx, []string{engine, "pull", "--quiet", image}, env, "", nil)
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		said := strings.Join(strings.Fields(string(out.Stderr)), " ")
		if strings.Contains(said, "manifest unknown") || strings.Contains(said, "not found") {
			return fault.New(fault.NotFound, "no_artifact", "there is no image %s: %s", spec.Quote(image), spec.Quote(said))
		}
		if strings.Contains(said, "verification failed") || strings.Contains(said, "did not match") { // docker's word, and podman's
			return fault.New(fault.NotVerified, "artifact_digest", "the server gave other bytes than %s; nothing is installed: %s", spec.Quote(image), spec.Quote(said))
		}
		return fault.New(fault.Unavailable, "download", "pulling %s failed: %s", spec.Quote(image), spec.Quote(said)).Hint("check the connection, and that the engine may pull")
	}
	out, err = w.p.Run(ctx, []string{engine, "image", "inspect", "--format", "{{json .RepoDigests}}", image}, env, "", nil)
	if err != nil {
		return err
	}
	var digests []string
	_, want, _ := strings.Cut(image, "@")
	if out.Exit != 0 || json.Unmarshal(out.Stdout, &digests) != nil || !slices.ContainsFunc(digests, func(d string) bool { return strings.HasSuffix(d, "@"+want) }) {
		return fault.New(fault.NotVerified, "artifact_digest", "the engine does not have the image %s; nothing is installed", spec.Quote(image))
	}
	w.done.Engine, w.done.Source = engine, image
	w.done.Image, w.done.Run = image, containerRun(engine, w.d, w.r.Tool.Capabilities.Network)
	w.done.Command = w.done.inside(w.d.Command)
	return nil
}

// imageHost is the server that the name of an image begins with; "" is the engine's own
// choice. By the engines' rule the first part is a server where it could be no folder.
func imageHost(image string) string {
	first, _, more := strings.Cut(image, "/")
	if more && (strings.ContainsAny(first, ".:") || first == "localhost") {
		return first
	}
	return ""
}

// engine finds an engine that answers.
func (p *Provisioner) engine(ctx context.Context) (string, error) {
	for _, name := range engines {
		path, err := p.Find(name)
		if err != nil {
			continue
		}
		if out, err := p.Run(ctx, []string{path, "version", "--format", "{{.Server.Version}}"}, p.engineEnv(), "", nil); err == nil && out.Exit == 0 {
			return path, nil
		}
	}
	return "", fault.New(fault.Unavailable, "no_runtime", "neither docker nor podman answers here, and the tool is an image for them").
		Hint("install docker or podman, and start it")
}

// engineEnv is what an engine may see of the environment: where it is, and where its
// own state lies.
func (p *Provisioner) engineEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "CONTAINER_HOST", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HTTPS_PROXY", "NO_PROXY"} {
		if v := p.Host.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// containerRun is how the engine is started, up to the image: with no right that the
// tool does not need. It sees nothing of the host, has no capability, a read-only root
// and, unless the tool declares one, no network. Values come by their names alone, out
// of the engine's own environment, so that none stands in an argument that everybody on
// the machine can read.
func containerRun(engine string, d *spec.Deployment, network bool) []string {
	argv := []string{
		engine, "run", "--rm", "--interactive", "--pull=never", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
		"--pids-limit=256", "--memory=2g", "--tmpfs=/tmp:rw,nosuid,nodev,size=256m",
	}
	if !network {
		argv = append(argv, "--network=none")
	}
	if d.Cwd != "" {
		argv = append(argv, "--workdir="+d.Cwd)
	}
	for _, e := range d.Env {
		argv = append(argv, "--env="+e.Name)
	}
	return argv
}

// ofEngine tells whether an engine, or what the system loads into it, goes by a variable
// of that name. Values come to a container out of the engine's own environment, and the
// engine is in no sandbox: a manifest with such a name could have it load a library, or
// send the person's secrets to a daemon of its author's.
func ofEngine(name string) bool {
	for _, begin := range []string{
		"LD_", "DYLD_", "DOCKER_", "BUILDKIT_", "BUILDX_", "CONTAINER_", "CONTAINERS_", "PODMAN_", "XDG_", "SSL_CERT_", "OTEL_", "DBUS_", "MALLOC_", "LC_",
	} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return slices.Contains([]string{
		"PATH", "HOME", "TMPDIR", "SHELL", "USER", "LANG", "LANGUAGE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NOTIFY_SOCKET",
		"GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH",
		"STORAGE_DRIVER", "STORAGE_OPTS", "REGISTRY_AUTH_FILE", "SSH_AUTH_SOCK", "SSH_ASKPASS", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
		"HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_HOST_CONF", "NETRC", "CURL_HOME",
	}, name)
}

// Offline is a command of a container with no network, also where the tool as a whole
// has one; of any other artifact it is argv as it is.
func (p *Prefix) Offline(argv []string) []string {
	const none = "--network=none"
	n := len(p.Run)
	if p.Engine == "" || n < 2 || len(argv) < n || !slices.Equal(argv[:n], p.Run) || slices.Contains(p.Run, none) {
		return argv
	}
	return slices.Insert(slices.Clone(argv), 2, none)
}

// Named is a command of a container under a name that its engine knows it by, and of
// any other artifact argv as it is.
func (p *Prefix) Named(argv []string, name string) []string {
	n := len(p.Run)
	if p.Engine == "" || n < 2 || len(argv) < 2 || !slices.Equal(argv[:2], p.Run[:2]) {
		return argv
	}
	return slices.Insert(slices.Clone(argv), 2, "--name="+name)
}

// End is the command that takes a container away by that name, running or not.
func (p *Prefix) End(name string) []string {
	return []string{p.Engine, "rm", "--force", "--volumes", name}
}

// engines are the programs that run images, by their names.
var engines = []string{"docker", "podman"}

// inside is a command in the container; none is what the image itself starts.
func (p *Prefix) inside(command []string) []string {
	if argv := p.byEngine(command); argv != nil {
		return argv
	}
	argv := slices.Clone(p.Run)
	if len(command) > 0 {
		argv = append(argv, "--entrypoint="+command[0])
	}
	argv = append(argv, p.Image)
	if len(command) > 1 {
		argv = append(argv, command[1:]...)
	}
	return argv
}

// byEngine reads a command that names an engine and the tool's own image, which is how a
// manifest says that the image knows what to start: what stands behind the image are the
// arguments. The options before it are not taken, because [containerRun] is how a tool's
// image is run and there is no other way. To look at the image runs nothing of it. Any
// other command gives nil.
func (p *Prefix) byEngine(command []string) []string {
	if len(command) < 3 || !slices.Contains(engines, command[0]) {
		return nil
	}
	at := slices.Index(command, p.Image)
	switch {
	case at < 0:
		return nil
	case command[1] == "run":
		return append(append(slices.Clone(p.Run), p.Image), command[at+1:]...)
	case slices.Equal(command[1:], []string{"image", "inspect", p.Image}):
		return []string{p.Engine, "image", "inspect", "--format={{.Id}}", p.Image}
	}
	return nil
}
