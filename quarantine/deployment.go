package quarantine

import (
	"net/url"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkDeployment judges how an install manifest acquires, starts, proves and takes
// back a tool. What the format's own rules refuse is refused before; these are
// about manifests that say something well-formed that nobody should agree to.
func checkDeployment(c *collector) {
	d := c.tool.Deployment
	if c.tool.Format != spec.FormatInstall || d == nil {
		return
	}
	checkArtifact(c, d)
	checkEntry(c, d)
	checkCommands(c, d)
	checkPlaces(c, d)
	checkSecretsAsked(c, d)
}

var (
	fullCommit  = lazily(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	hexDigest   = lazily(`^[0-9a-fA-F]{64}$`)
	imageDigest = lazily(`@sha256:[0-9a-f]{64}$`)
)

// checkArtifact holds what is acquired to be one thing, from a place that is known.
func checkArtifact(c *collector, d *spec.Deployment) {
	a := d.Install
	where := c.locateText(`"install"`, 1)
	switch a.Method {
	case "pip", "npm":
		if v := strings.TrimPrefix(strings.TrimSpace(a.VersionSpec), "=="); !isExactVersion(v) {
			c.add(looseArtifact, where, "the package %s is installed as %s, which is no exact version", spec.Quote(a.Package), spec.Quote(a.VersionSpec))
		}
		c.packageName(a, where)
	case "git":
		if !fullCommit().MatchString(a.Ref) {
			c.add(looseArtifact, where, "the repository is taken at %s, which is no full commit", spec.Quote(a.Ref))
		}
		c.artifactHost(a.URL, where)
	case "url":
		if !hexDigest().MatchString(a.SHA256) {
			c.add(looseArtifact, where, "the download has no sha256")
		}
		c.artifactHost(a.URL, where)
		if how := loosePart(a.URL); how != "" {
			c.add(looseArtifact, where, "the download %s %s", spec.Quote(a.URL), how)
		}
	case "container":
		if !imageDigest().MatchString(a.Image) {
			c.add(looseArtifact, where, "the image %s has no digest", spec.Quote(a.Image))
		}
		host, _, deep := strings.Cut(a.Image, "/")
		if !deep || !strings.ContainsAny(host, ".:") {
			host = "docker.io" // what an image without a host is taken from
		}
		if !publishes(sources().images, host) {
			c.add(looseArtifact, where, "the image comes from %s, which is none of the known hosts of images", spec.Quote(host))
		}
	}
	for _, text := range []string{a.Package, a.VersionSpec, a.Ref, a.Subpath, a.Image, a.URL} {
		if strings.HasPrefix(strings.TrimSpace(text), "-") {
			c.add(looseArtifact, where, "%s would be an option of the program that installs it", spec.Quote(text))
		}
	}
	if a.Subpath != "" && outside(a.Subpath) {
		c.add(looseArtifact, where, "the folder %s is outside of what is installed", spec.Quote(a.Subpath))
	}
}

// packageName holds a package to its grammar: with an address in the place of the
// name, or one of a known name's neighbours, another thing is installed.
func (c *collector) packageName(a spec.Artifact, where at) {
	if a.Method == "npm" {
		if !isNodeName(a.Package) {
			c.add(looseArtifact, where, "%s is no name of a package", spec.Quote(a.Package))
		}
		return
	}
	name := requirementName(a.Package)
	if !isPackageName(name) || strings.ContainsAny(a.Package, "@;/\\ ") {
		c.add(looseArtifact, where, "%s is no name of a package", spec.Quote(a.Package))
		return
	}
	if name = normalName(name); !knownPackage(name) {
		if near, how := nearPackage(name); near != "" && how != "it is that name with something added" {
			c.addAs(looseArtifact, bad, where, "write "+spec.Quote(near)+" if that is meant", "the package %s is not known, but %s is: %s", spec.Quote(name), spec.Quote(near), how)
			return
		}
		c.warn(looseArtifact, where, "the package %s is none of the known ones", spec.Quote(name))
	}
}

// isExactVersion tells versions with three or less numbers and a tail, such as
// 1.2.3-rc.1, from ranges.
func isExactVersion(v string) bool {
	if v == "" || v[0] < '0' || v[0] > '9' {
		return false
	}
	for i := range len(v) {
		if !isAlnum(v[i]) && !strings.ContainsRune(".-+!_", rune(v[i])) {
			return false
		}
	}
	last := v[strings.LastIndexByte(v, '.')+1:]
	return last != "x" && last != "X" && last != ""
}

func (c *collector) artifactHost(address string, where at) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		c.add(looseArtifact, where, "%s is no address that can be read", spec.Quote(address))
	case u.Scheme != "https":
		c.add(looseArtifact, where, "the address %s is not https", spec.Quote(address))
	case u.User != nil:
		c.add(looseArtifact, where, "the address %s holds a user name or a password", spec.Quote(u.Host))
	case !publishes(sources().hosts, u.Hostname()):
		c.add(looseArtifact, where, "it comes from %s, which is none of the known hosts of projects", spec.Quote(u.Hostname()))
	}
}

// loosePart tells what an address has that makes the answer another one tomorrow,
// or opens what was packed so that nobody looks into it.
func loosePart(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	low := strings.ToLower(u.Path)
	for _, moving := range []string{"/latest/", "/nightly/", "/master/", "/main/", "/head/"} {
		if strings.Contains(low, moving) {
			return "is another one whenever something new is published"
		}
	}
	for key := range u.Query() {
		switch strings.ToLower(key) {
		case "password", "passwd", "pass", "pwd", "p":
			return "has a password in its address"
		}
	}
	for _, packed := range []string{".rar", ".7z", ".iso", ".img", ".dmg", ".vhd"} {
		if strings.HasSuffix(low, packed) {
			return "is an archive that scanners cannot open"
		}
	}
	return ""
}

// shells run a text as commands; interpreters do with certain options.
var interpreters = map[string]string{
	"sh": "-c", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "fish": "-c", "ash": "-c", "cmd": "/c", "cmd.exe": "/c",
	"powershell": "-c", "powershell.exe": "-c", "pwsh": "-c", "python": "-c", "python3": "-c", "perl": "-e", "ruby": "-e", "node": "-e", "php": "-r", "osascript": "-e", "eval": "", "busybox": "sh",
}

// throughShell tells how a command has a text run as commands, "" where it does not.
func throughShell(command []string) (program, code string) {
	for i := range command {
		name := strings.ToLower(plainFile(command[i]))
		if i > 0 && (name == "" || strings.HasPrefix(command[i], "-") || strings.Contains(command[i], "=")) {
			continue // options and settings of what starts another program
		}
		option, ok := interpreters[name]
		if !ok {
			switch name {
			case "env", "sudo", "doas", "nohup", "exec", "time", "timeout", "nice", "xargs", "command", "stdbuf", "setsid":
				continue
			}
			return "", ""
		}
		for j, a := range command[i+1:] {
			low := strings.ToLower(a)
			short := strings.HasPrefix(low, "-") && !strings.HasPrefix(low, "--") && option != "" && strings.Contains(low, option[1:]) && option[0] == '-'
			if short || low == option || strings.HasPrefix(low, "-enc") || low == "--command" || low == "--eval" || low == "-command" || low == "/k" {
				return name, strings.Join(command[i+1+j+1:], " ")
			}
		}
		return "", ""
	}
	return "", ""
}

// checkEntry looks at what starts the tool [TI-P9].
func checkEntry(c *collector, d *spec.Deployment) {
	where := c.locateText(`"entrypoint"`, 1)
	if program, code := throughShell(d.Command); program != "" {
		c.add(shellEntry, where, "%s runs the text %s", spec.Quote(program), spec.Quote(code))
	}
	for _, o := range c.tool.Operations {
		if program, _ := throughShell(append(append([]string{}, d.Command...), o.Invocation.Argv...)); program != "" && len(o.Invocation.Argv) > 0 {
			c.add(shellEntry, c.locateText(`"`+o.Name+`"`, 1), "the action %s hands its arguments to %s as code", spec.Quote(o.Name), spec.Quote(program))
		}
	}
	if len(d.Command) > 0 {
		c.commandDoes("the entrypoint", d.Command, shellEntry, where)
	}
}

// checkCommands looks at what runs besides the tool: the smoke test, and the kill
// switch.
func checkCommands(c *collector, d *spec.Deployment) {
	for _, one := range []struct {
		what    string
		command []string
		where   at
	}{
		{"the smoke test", d.Smoke.Command, c.locateText(`"smoke"`, 1)}, {"the kill switch", d.KillSwitch.Command, c.locateText(`"kill_switch"`, 1)},
	} {
		if len(one.command) == 0 {
			continue
		}
		if program, code := throughShell(one.command); program != "" {
			c.add(longCommand, one.where, "%s runs a text of commands by %s: %s", one.what, spec.Quote(program), spec.Quote(code))
		}
		c.commandDoes(one.what, one.command, longCommand, one.where)
	}
}

// fetchers are programs that bring something from the network, or destroy.
var fetchers = lazily(`(?i)^(?:curl|wget|aria2c|nc|ncat|netcat|socat|telnet|ftp|sftp|scp|ssh|rsync|git|pip[0-9.]*|pipx|npm|npx|uvx|uv|gem|cargo|go|apt|apt-get|brew|docker|podman)$`)

// commandDoes tells what a command is that reaches further than itself.
func (c *collector) commandDoes(what string, command []string, rule *Rule, where at) {
	text := strings.Join(command, " ")
	if rule == longCommand {
		for i, w := range command {
			if name := plainFile(w); fetchers().MatchString(name) && (i == 0 || !strings.HasPrefix(command[i-1], "-")) && (i == 0 || starts(command[:i])) && fetchingUse(command[i+1:]) {
				c.add(rule, where, "%s uses %s, which reaches the network or installs", what, spec.Quote(name))
				break
			}
		}
		if m := destroys().FindString(text); m != "" {
			c.add(rule, where, "%s removes more than an installation: %s", what, spec.Quote(m))
		}
	}
	for _, o := range findOrders(text) {
		if !o.mild {
			c.add(rule, where, "%s %s", what, o.seen)
		}
	}
	if strings.ContainsAny(text, "\n\r") {
		c.add(rule, where, "%s has a line break in its arguments", what)
	}
}

// starts tells whether all words before start the next one.
func starts(before []string) bool {
	for _, w := range before {
		switch plainFile(w) {
		case "env", "sudo", "doas", "nohup", "exec", "time", "timeout", "nice", "command":
		default:
			if !strings.Contains(w, "=") && !strings.HasPrefix(w, "-") {
				return false
			}
		}
	}
	return true
}

// fetchingUse tells whether a program that can fetch does: to ask for its version
// or to uninstall is what such commands are for.
func fetchingUse(arguments []string) bool {
	if len(arguments) == 0 {
		return true
	}
	switch arguments[0] {
	case "--version", "-V", "-v", "version", "--help", "-h", "help", "uninstall", "remove", "rm", "list", "show", "ls", "stop", "rmi":
		return false
	}
	return true
}

var destroys = lazily(`(?i)\brm\s+(?:-\w*\s+)*-\w*r\w*\s+(?:-\w*\s+)*(?:/|~|\$HOME|\*)(?:\s|$|/\s|\*)|\bmkfs\b|\bdd\s+.*\bof=/dev/|\bshred\b|\bformat\s+[a-z]:`)
