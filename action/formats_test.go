package action

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shipped are the files of one version of a tool of this repository, by their paths in a
// registry, with another version and some of their text replaced.
func shipped(t *testing.T, at, version string, replace ...string) map[string]string {
	t.Helper()
	versions, err := filepath.Glob(filepath.Join("..", "tools", filepath.FromSlash(at), "[0-9]*"))
	if err != nil || len(versions) != 1 {
		t.Fatal(versions, err)
	}
	root := versions[0]
	change := strings.NewReplacer(append(replace, filepath.Base(root), version)...)
	out := map[string]string{}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		out["tools/"+at+"/"+version+"/"+filepath.ToSlash(rel)] = change.Replace(string(data))
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatal(len(out), err)
	}
	return out
}

// TestFormats: a pull request with a skill, an install manifest or a definition of Arcade
// comes to a comment that says what it may do; what hides something is refused, and an
// update that asks for more waits for a person. The twins differ in that one point.
func TestFormats(t *testing.T) {
	const skill, install, arcade = "ch/changelog_writer", "ti/time_zones", "gm/gmail_list_emails"
	const meta = "owners:\n  - login: ann\n    id: 7\n"
	for name, c := range map[string]struct {
		at, was    string // the version that is there, if any
		now        string
		replace    []string
		conclusion string
		merged     bool
		says       []string
	}{
		"a new skill": {skill, "", "1.0.0", nil, "success", false, []string{"kind         skill", "files        read-write", "in   version (string, required)", "No findings."}},
		"a new install manifest": {install, "", "2025.9.25", nil, "success", false, []string{
			"kind         install manifest", "installs     pip mcp-server-time", "actions      get_current_time (none), convert_time (none)", "asks LOCAL_TIMEZONE", "No findings.",
		}},
		"a new definition": {arcade, "", "1.0.0", nil, "success", false, []string{"kind         Arcade definition", "accounts     google.", "No findings."}},

		"a skill whose script hides something": {skill, "", "1.0.0", []string{"import sys\n", "import sys\nimport base64\n\nexec(base64.b64decode('cHJpbnQoMSk='))\n"}, "failure", false, []string{"scripts/commits.py:", "PY-003"}},

		"an update of a skill":               {skill, "1.0.0", "1.0.1", nil, "success", true, []string{"compared with ` 1.0.0 `: the same", "+version: 1.0.1"}},
		"an update of a definition":          {arcade, "1.0.0", "1.0.1", nil, "success", true, []string{"compared with ` 1.0.0 `: the same"}},
		"an update of an install manifest":   {install, "2025.9.25", "2025.9.26", nil, "success", true, []string{"compared with ` 2025.9.25 `: the same"}},
		"an install manifest with a secret":  {install, "2025.9.25", "2025.9.26", []string{`"secret": false`, `"secret": true`, ",\n      \"default\": \"UTC\"", ""}, "action_required", false, []string{"- secrets      none", "+ secrets      LOCAL_TIMEZONE"}},
		"an install manifest of another one": {install, "2025.9.25", "2025.9.26", []string{"mcp-server-time", "mcp-server-fetch"}, "action_required", false, []string{"- installs     pip mcp-server-time", "+ installs     pip mcp-server-fetch"}},
		"a definition that wants more": {arcade, "1.0.0", "1.0.1", []string{"gmail.readonly", "gmail.modify"}, "action_required", false, []string{
			"- accounts     google.https://www.googleapis.com/auth/gmail.readonly", "+ accounts     google.https://www.googleapis.com/auth/gmail.modify",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			files := shipped(t, c.at, c.now, c.replace...)
			if c.was == "" {
				files["tools/"+c.at+"/tool.yaml"] = meta
			} else {
				there := shipped(t, c.at, c.was)
				there["tools/"+c.at+"/tool.yaml"] = meta
				s.main(there)
			}
			n := s.propose("new", files)
			s.trialEnded("new", "success")
			a, err := s.reviewAll(s.event("opened", n, "ann", ""))
			if held := c.conclusion != "success"; err != nil != held {
				t.Fatal(err, s.log.String())
			}
			comments := s.repo.Comments(n)
			if len(comments) != 1 {
				t.Fatalf("comments %+v", comments)
			}
			for _, text := range c.says {
				if !strings.Contains(comments[0].Body, text) {
					t.Errorf("the comment does not say %q:\n%s", text, comments[0].Body)
				}
			}
			if got := s.conclusion("new"); got != c.conclusion || a.Merged != "" != c.merged {
				t.Errorf("%s, %+v", got, a)
			}
		})
	}
}
