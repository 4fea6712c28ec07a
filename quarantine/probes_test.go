package quarantine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/quarantine/probes"
	"github.com/patch-cat/patch-git/spec"
)

// The probes that are not refused, and the twins that are. A list only becomes
// shorter: who mends a rule takes the id out, and the test says so.
var (
	missedEvasions   = []string{}
	wrongEvasions    = []string{"net-urlretrieve-in-class", "process-get-field", "dynamic-annotation"}
	missedBehaviours = []string{}
	wrongBehaviours  = []string{}
	missedTexts      = []string{"always-call-first", "approve-transfer", "replace-tool", "price-override", "intercept-queries", "portuguese", "fake-output", "stop-using", "link-text"}
	missedSeconds    = []string{"import-dropped", "env-aws-keys", "file-to-constant-host", "roblox-cookie", "injected-result", "injected-result-late"}
	wrongSeconds     = []string{"pyarmor-loader"}
	wrongTexts       = []string{"env-file-context", "api-key-collect", "honest-detector"}
)

func readProbes(t *testing.T, name string) []probes.Probe {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	all, err := probes.Read(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// atHead puts code between the imports and main of the valid tool.
func atHead(code string) string {
	return strings.Replace(validSource, "\nWORD =", "\n"+code+"\n\nWORD =", 1)
}

// judgeProbes checks the valid tool with each code in it; declared says that it
// declares whatever is inferred of it, as an honest author would.
func judgeProbes(t *testing.T, codes []string, declared bool) []Report {
	t.Helper()
	var sources []string
	for _, code := range codes {
		sources = append(sources, atHead(code))
	}
	var out []Report
	for i, f := range ask(t, sources...) {
		s := valid(t)
		s.Release.Files[0].Data, s.Facts = []byte(sources[i]), &f
		s.Release.Tool.Runtime.PythonVersion = strings.Join(strings.SplitN(f.Python, ".", 3)[:2], ".")
		if declared {
			in, tool := Infer(&f, nil), &s.Release.Tool
			tool.Capabilities = spec.Capabilities{Network: in.Has(CapabilityNetwork), Filesystem: spec.FilesystemReadWrite}
			for _, need := range spec.Needs() {
				if in.Has(Capability(need)) {
					tool.Needs = append(tool.Needs, need)
				}
			}
		}
		out = append(out, Check(t.Context(), s))
	}
	return out
}

// held compares what is wrong with the list of what is known to be.
func held(t *testing.T, what string, got, known []string) {
	t.Helper()
	for _, id := range got {
		if !slices.Contains(known, id) {
			t.Errorf("%s: %s", what, id)
		}
	}
	for _, id := range known {
		if !slices.Contains(got, id) {
			t.Errorf("%s no longer: %s; take it out of the list", what, id)
		}
	}
}

func refusedBy(r Report, families ...string) bool {
	return slices.ContainsFunc(r.Findings, func(f spec.Finding) bool {
		return f.Severity == spec.SeverityError && slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(f.ID, family) })
	})
}

// holdProbes judges a list of code and compares.
func holdProbes(t *testing.T, list string, declared bool, missed, wrong []string, families ...string) {
	t.Helper()
	all := readProbes(t, list)
	var attacks, twins []string
	for _, p := range all {
		attacks, twins = append(attacks, p.Attack), append(twins, p.Twin)
	}
	foundAttacks, foundTwins := judgeProbes(t, attacks, declared), judgeProbes(t, twins, declared)
	var notRefused, refused []string
	for i, p := range all {
		if !refusedBy(foundAttacks[i], families...) {
			notRefused = append(notRefused, p.ID)
		}
		if refusedBy(foundTwins[i], families...) {
			refused = append(refused, p.ID)
		}
	}
	held(t, "an attack is not refused", notRefused, missed)
	held(t, "a twin is refused", refused, wrong)
}

// TestEvasionProbes: a tool that declares nothing is refused for what it reaches, on
// whatever road, and its twin that needs nothing is not.
func TestEvasionProbes(t *testing.T) {
	holdProbes(t, "evasion.txt", false, missedEvasions, wrongEvasions, "CAP-")
}

// TestBehaviourProbes: what malware does is refused though all of it is declared.
func TestBehaviourProbes(t *testing.T) {
	holdProbes(t, "behaviour.txt", true, missedBehaviours, wrongBehaviours, "PY-")
	holdProbes(t, "behaviour2.txt", true, missedSeconds, wrongSeconds, "PY-")
	holdProbes(t, "behaviour3.txt", true, nil, nil, "PY-")
}

// What the second list, by another author, shows.
var (
	missedTexts2 = []string{"poison-param-token", "shadow-git", "shadow-replace", "rug-pull-version", "line-jump-scheduler", "fsp-default", "fsp-required", "inject-review-lock", "inject-share", "hijack-notuse", "pref-best", "pref-active", "pref-numbers", "pref-authority", "system-developer", "conceal-no-show", "conceal-discreet", "conceal-explain", "memory-store", "translate-frame", "exfil-image", "exfil-codebase", "action-dependency", "action-star"}
	wrongTexts2  = []string{"poison-env-file", "shadow-email", "system-xml", "action-autoapprove"}
	wrongHonest  = []string{
		"Scans a repository for secrets: API keys, private keys, tokens and passwords in .env files. Findings show the file and the line, the value is masked.",
		"Rotates an AWS access key and writes the new one to ~/.aws/credentials under the given profile.",
		"Lists the entries of ~/.ssh/config with host, user and port. Private keys are not read.",
		"Translates the text into the language of the user. Text within <code> stays as it is.",
		"Finds letters that look alike: Latin a and Cyrillic а, Latin o and Greek ο.",
	}
)

// TestTextProbes: injections in descriptions beside honest texts of the same words.
func TestTextProbes(t *testing.T) {
	for _, list := range []struct {
		name          string
		missed, wrong []string
	}{{"texts.txt", missedTexts, wrongTexts}, {"texts2.txt", missedTexts2, wrongTexts2}} {
		var missed, wrong []string
		for _, p := range readProbes(t, list.name) {
			if !refusedText(t, p.Attack) {
				missed = append(missed, p.ID)
			}
			if refusedText(t, p.Twin) {
				wrong = append(wrong, p.ID)
			}
		}
		held(t, list.name+": an injection is not refused", missed, list.missed)
		held(t, list.name+": an honest text is refused", wrong, list.wrong)
	}
}

func refusedText(t *testing.T, text string) bool {
	t.Helper()
	s := valid(t)
	s.Release.Tool.Description = text
	return refusedBy(Check(t.Context(), s), "TXT-", "INJ-", "MAN-")
}

// TestHonestTexts: what security tools, prompt tools and people of many languages
// say is not refused.
func TestHonestTexts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "honest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(data), "\n=== ")
	var wrong []string
	for text := range strings.Lines(list) {
		if text = strings.TrimSpace(text); strings.Contains(text, " ") && !strings.HasPrefix(text, "===") && refusedText(t, text) {
			wrong = append(wrong, text)
		}
	}
	held(t, "an honest text is refused", wrong, wrongHonest)
}
