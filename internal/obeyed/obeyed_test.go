package obeyed

import (
	"path"
	"strings"
	"testing"
)

// TestOf names such files, and beside each what only looks like one.
func TestOf(t *testing.T) {
	for p, want := range map[string]string{
		"/home/me/.bashrc":                         "/home/me/.bashrc",
		"/home/me/.bashrc.old":                     "",
		"/home/me/bashrc":                          "",
		"/home/me/.BashRC":                         "/home/me/.BashRC",
		"/mnt/copy/home/me/.zshenv":                "/mnt/copy/home/me/.zshenv",
		"/home/me/.config/fish/conf.d/x.fish":      "/home/me/.config/fish",
		"/home/me/.config/fishing":                 "",
		"/home/me/.config":                         "",
		"/home/me/.config/autostart/x.desktop":     "/home/me/.config/autostart",
		"/home/me/.config/systemd/user/x.service":  "/home/me/.config/systemd",
		"/Users/me/Library/LaunchAgents/x.plist":   "/Users/me/Library/LaunchAgents",
		"/Users/me/Library/Launch/x.plist":         "",
		"/work/.git":                               "/work/.git",
		"/work/.git/hooks/pre-commit":              "/work/.git",
		"/work/.gitignore":                         "",
		"/srv/tool.git/hooks/post-receive":         "/srv/tool.git",
		"/srv/tool.gitlab":                         "",
		"/home/me/.gitconfig":                      "/home/me/.gitconfig",
		"/home/me/.ssh/authorized_keys":            "/home/me/.ssh",
		"/home/me/.local/bin/ls":                   "/home/me/.local/bin",
		"/home/me/.local/share/notes":              "",
		"/home/me/bin/notes":                       "",
		"/venv/lib/python3.12/site-packages/x.pth": "/venv/lib/python3.12/site-packages/x.pth",
		"/home/me/Documents/PowerShell/x.ps1":      "/home/me/Documents/PowerShell",
		"/x/Microsoft.PowerShell_profile.ps1":      "/x/Microsoft.PowerShell_profile.ps1",
		"/work/.vscode/tasks.json":                 "/work/.vscode",
		"/work/.mcp.json":                          "/work/.mcp.json",
		"/work/mcp.json":                           "",
		"/work/CLAUDE.md":                          "/work/CLAUDE.md",
		"/work/README.md":                          "",
		"/work/.github/workflows/ci.yml":           "/work/.github/workflows",
		"/work/.github/ISSUE_TEMPLATE/bug.yml":     "",
		"/usr/local/bin/ls":                        "/usr/local",
		"/home/me/notes.txt":                       "",
		"/":                                        "",
	} {
		if got := Of(p); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
		if got := Is(p); got != (want == p) {
			t.Errorf("%s is one itself: %v", p, got)
		}
	}
}

// TestPlaces: each is written as it is compared, and is found.
func TestPlaces(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range places {
		if p != strings.ToLower(p) || p != path.Clean(p) || strings.HasPrefix(p, "/") || seen[p] {
			t.Errorf("%q is not written as it is compared, or is there twice", p)
		}
		seen[p] = true
		if at := "/home/me/" + p; !Is(at) || Of(at+"/below") == "" {
			t.Errorf("%s is not found", at)
		}
	}
}
