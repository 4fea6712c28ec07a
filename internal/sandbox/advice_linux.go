package sandbox

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// advice is what a person can do so that a driver works that did not.
func advice(driver string, err error) []string {
	hints := fault.HintsOf(err)
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(err.Error(), w) {
				return true
			}
		}
		return false
	}
	failed, _ := errors.AsType[*setupError](err)
	switch {
	case driver == "namespaces":
		hints = append(hints, namespaceAdvice(failed)...)
	case driver == "landlock" && landlockABI() == 0:
		hints = append(hints, "Linux 6.2 or newer, with landlock among the modules of lsm= on the kernel's command line")
	case driver == "bubblewrap" && says("there is no bwrap"):
		hints = append(hints, "apt-get install bubblewrap")
	case driver == "bubblewrap" && says("Unknown option"):
		hints = append(hints, "a bubblewrap with --bind-fd, as 0.11 and the security updates of distributions have it")
	case driver == "container" && says("there is no podman"):
		hints = append(hints, "apt-get install podman, or start docker's service")
	case driver == "container" && says("dial unix"):
		hints = append(hints, "docker's socket has to be open to you, which makes you as mighty as root")
	}
	return hints
}

// namespaceAdvice looks at the settings that forbid user namespaces.
func namespaceAdvice(failed *setupError) (hints []string) {
	setting := func(name, forbids string) bool {
		b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
		return err == nil && strings.TrimSpace(string(b)) == forbids
	}
	if setting("user.max_user_namespaces", "0") {
		hints = append(hints, "sysctl -w user.max_user_namespaces=15000")
	}
	if os.Getuid() != 0 && setting("kernel.unprivileged_userns_clone", "0") {
		hints = append(hints, "sysctl -w kernel.unprivileged_userns_clone=1")
	}
	if os.Getuid() != 0 && setting("kernel.apparmor_restrict_unprivileged_userns", "1") {
		hints = append(hints, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or apt-get install bubblewrap with its AppArmor profile")
	}
	if failed != nil && failed.step == stepProc && failed.errno == unix.EPERM {
		hints = append(hints, "/proc is masked, as in a container: start that with --security-opt systempaths=unconfined")
	}
	return hints
}

// elsewhere is where tools run when this system has no driver.
func elsewhere() []string { return nil }
