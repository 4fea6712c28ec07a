package leaks

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
	"github.com/zricethezav/gitleaks/v8/cmd/generate/config/utils"
	"github.com/zricethezav/gitleaks/v8/cmd/generate/secrets"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// samples are how many secrets are made for each rule of gitleaks.
const samples = 5

// least is the share of what gitleaks finds below which the lane fails.
const least = 0.90

func gitleaks(t testing.TB) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ours tells whether SEC-001 finds something in a text. The release is otherwise
// empty, so that no other rule matters.
func ours(t testing.TB, text string) bool {
	t.Helper()
	r := quarantine.Check(t.Context(), quarantine.Subject{Release: &spec.Release{
		Files: []spec.File{{Path: "NOTES.md", Data: []byte(text)}},
	}})
	return slices.ContainsFunc(r.Findings, func(f spec.Finding) bool { return f.ID == "SEC-001" })
}

// loose turns off letter case, which would write prefixes and names as nobody does.
var loose = strings.NewReplacer("(?i)", "", "(?i:", "(?:", "(?-i:", "(?:")

// texts makes files that hold a secret of a rule: where the rule asks for a name
// in front, in all the ways in which gitleaks' own tests write an assignment.
func texts(id, expression string) []string {
	const name, end, value, tail = `[\w.-]{0,50}?(?:`, `)(?:[ \t\w.-]{0,20})`, `[\x60'"\s=]{0,5}(`, `)(?:[\x60'"\s;]`
	switch id {
	case "jwt":
		return []string{"token = " + strconv.Quote(token())}
	case "jwt-base64":
		return []string{"token = " + strconv.Quote(base64.StdEncoding.EncodeToString([]byte(token())))}
	case "private-key":
		return []string{"-----BEGIN RSA PRIVATE KEY-----\n" + secrets.NewSecret("([A-Za-z0-9+/]{64}\n){8}") + "-----END RSA PRIVATE KEY-----\n"}
	}
	plain := strings.ReplaceAll(loose.Replace(expression), `[\w.-]{0,50}?(?:`+name, name)
	_, rest, named := strings.Cut(plain, name)
	names, rest, ok := strings.Cut(rest, end)
	if _, rest, found := strings.Cut(rest, value); named && ok && found {
		rest, _, _ = strings.Cut(rest, tail)
		return utils.GenerateSampleSecrets(secrets.NewSecret(names), secrets.NewSecret(rest))
	}
	secret := secrets.NewSecret(plain)
	return []string{secret, "token = " + strconv.Quote(strings.Trim(secret, "\\ \t\n\r'\"`;"))}
}

// token is a JSON Web Token that nobody signed.
func token() string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + part([]byte(`{"sub":"`+secrets.NewSecret("[a-z0-9]{24}")+`"}`)) + "." + part([]byte(secrets.NewSecret("[a-zA-Z0-9]{32}")))
}

// TestShare makes secrets of every rule of gitleaks, keeps those that gitleaks
// itself finds, and counts which are found by SEC-001.
func TestShare(t *testing.T) {
	d := gitleaks(t)
	made, found, missed := 0, 0, []string{}
	rules, most := 0, 0
	for id, rule := range d.Config.Rules {
		if rule.Regex == nil {
			continue
		}
		here, hits, example := 0, 0, ""
		for range samples {
			for _, text := range texts(id, rule.Regex.String()) {
				if !utf8.ValidString(text) || len(d.DetectString(text)) == 0 {
					continue
				}
				here++
				if ours(t, text) {
					hits++
				} else {
					example = text
				}
			}
		}
		if here == 0 {
			t.Logf("gitleaks finds nothing made of %s", id)
			continue
		}
		rules++
		if made, found = made+here, found+hits; hits*2 >= here {
			most++
		}
		if hits < here {
			missed = append(missed, strings.Join([]string{id, strconv.Itoa(hits), strconv.Itoa(here), example[:min(len(example), 150)]}, " "))
		}
	}
	slices.Sort(missed)
	for _, m := range missed {
		t.Logf("missed: %q", m)
	}
	t.Logf("%d of %d secrets, %.1f %%; at least half of those of %d of %d rules", found, made, 100*float64(found)/float64(made), most, rules)
	if made < 1000 || float64(found) < least*float64(made) {
		t.Errorf("%d of %d are found", found, made)
	}
}

// TestNoise counts the files of this repository that each flags, and of the
// files that PATCH_GIT_LEAKS_FILES names, JSON lines with a text each.
func TestNoise(t *testing.T) {
	var texts []string
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && (strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".md")) {
			data, err := os.ReadFile(path)
			texts = append(texts, string(data))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	noise(t, "this repository", texts)
	for _, name := range strings.Fields(os.Getenv("PATCH_GIT_LEAKS_FILES")) {
		noise(t, filepath.Base(name), lines(t, name))
	}
}

func noise(t *testing.T, name string, texts []string) {
	t.Helper()
	d := gitleaks(t)
	theirs, our := 0, 0
	start := time.Now()
	for _, text := range texts {
		if len(d.DetectString(text)) > 0 {
			theirs++
		}
	}
	middle := time.Now()
	for _, text := range texts {
		if ours(t, text) {
			our++
		}
	}
	n := time.Duration(max(len(texts), 1))
	t.Logf("%s: of %d files gitleaks flags %d (%v a file), SEC-001 %d (%v a file, with all other rules)",
		name, len(texts), theirs, middle.Sub(start)/n, our, time.Since(middle)/n)
}

func lines(t *testing.T, name string) (texts []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var row struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.Text)
	}
	return texts
}

// TestReady says what gitleaks needs before it has looked at anything.
func TestReady(t *testing.T) {
	start := time.Now()
	d := gitleaks(t)
	ready := time.Since(start)
	d.DetectString("nothing")
	t.Logf("gitleaks is ready after %v, with its first text after %v", ready, time.Since(start))
}
