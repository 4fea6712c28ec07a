package registry_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// policyTree is a tree whose registry.yaml says no more about pull requests
// than text.
func policyTree(tb testing.TB, dir, text string) (*registry.Tree, error) {
	tb.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "registry.yaml")); err != nil {
		tb.Fatal(err)
	}
	if err := registry.InitTree(dir, sealOptions(tb, 0).Registry); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(dir, "registry.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	before, after, ok := strings.Cut(string(data), "# What becomes of pull requests")
	_, after, ok2 := strings.Cut(after, "\ntrust:")
	if !ok || !ok2 {
		tb.Fatalf("a new registry.yaml is\n%s", data)
	}
	writeText(tb, file, before+text+"trust:"+after)
	return registry.OpenTree(dir)
}

func TestTreePolicy(t *testing.T) {
	byDefault := registry.Policy{AutoMerge: true, UpdatesPerDay: 10}
	for text, want := range map[string]registry.Policy{
		"":                                       byDefault,
		"policy:\n":                              byDefault,
		"policy: {}\n":                           byDefault,
		"policy:\n  auto_merge:\n  judge: off\n": byDefault,
		"policy:\n  maintainers:\n    - login: ada\n      id: 7\n    - {login: bob, id: 9}\n  auto_merge: false\n  new_name_wait: 72h\n  updates_per_day: 0\n  judge: required\n": {
			Maintainers: []ledger.Owner{{Login: "ada", ID: 7}, {Login: "bob", ID: 9}}, NewNameWait: 72 * time.Hour, JudgeRequired: true,
		},
		"policy:\n  new_name_wait: 0\n  maintainers: []\n": byDefault,
		"policy:\n  new_name_wait: 0s\n":                   byDefault,
		"policy:\n  judge: \"required\"\n":                 {AutoMerge: true, UpdatesPerDay: 10, JudgeRequired: true},
	} {
		tree, err := policyTree(t, t.TempDir(), text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := tree.Policy(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	// What is handed out is a copy.
	tree, err := policyTree(t, t.TempDir(), "policy:\n  maintainers: [{login: ada, id: 7}]\n")
	if err != nil {
		t.Fatal(err)
	}
	tree.Policy().Maintainers[0].ID = 1
	if tree.Policy().Maintainers[0].ID != 7 {
		t.Error("who asks for the policy can change it")
	}
}

// TestNewTreePolicy: what a new registry says aloud is what a silent one means.
func TestNewTreePolicy(t *testing.T) {
	tree, dir := newTree(t)
	if want := (registry.Policy{AutoMerge: true, UpdatesPerDay: 10}); !reflect.DeepEqual(tree.Policy(), want) {
		t.Errorf("got %+v", tree.Policy())
	}
	data, err := os.ReadFile(filepath.Join(dir, "registry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"maintainers", "auto_merge", "new_name_wait", "updates_per_day", "judge"} {
		if !strings.Contains(string(data), " "+key+":") {
			t.Errorf("a new registry.yaml is silent about %s", key)
		}
	}
}

func TestTreePolicyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"policy: yes\n":                                                      "mapping",
		"policy: []\n":                                                       "mapping",
		"policy:\n  automerge: true\n":                                       "automerge",
		"policy:\n  Auto_Merge: true\n":                                      "Auto_Merge",
		"policy:\n  auto_merge: 1\n":                                         "auto_merge",
		"policy:\n  auto_merge: yes\n":                                       "auto_merge",
		"policy:\n  new_name_wait: 72\n":                                     "new_name_wait",
		"policy:\n  new_name_wait: soon\n":                                   "new_name_wait",
		"policy:\n  new_name_wait: -1h\n":                                    "new_name_wait",
		"policy:\n  new_name_wait: 99999h\n":                                 "new_name_wait",
		"policy:\n  updates_per_day: -1\n":                                   "updates_per_day",
		"policy:\n  updates_per_day: 1001\n":                                 "updates_per_day",
		"policy:\n  updates_per_day: 1.5\n":                                  "updates_per_day",
		"policy:\n  updates_per_day: \"5\"\n":                                "updates_per_day",
		"policy:\n  judge: optional\n":                                       "judge",
		"policy:\n  judge: false\n":                                          "judge",
		"policy:\n  judge: Required\n":                                       "judge",
		"policy:\n  maintainers: ada\n":                                      "maintainers",
		"policy:\n  maintainers: [ada]\n":                                    "maintainers",
		"policy:\n  maintainers: [{id: 7}]\n":                                "maintainers",
		"policy:\n  maintainers: [{login: ada}]\n":                           "number 0",
		"policy:\n  maintainers: [{login: ada, id: -7}]\n":                   "number -7",
		"policy:\n  maintainers: [{login: ada, id: \"7\"}]\n":                "id",
		"policy:\n  maintainers: [{login: ada, id: 7, ID: 8}]\n":             "ID",
		"policy:\n  maintainers: [{login: ada, id: 7}, {login: a, id: 7}]\n": "twice",
		"policy:\n  maintainers: [{login: \"a\\nb\", id: 7}]\n":              "maintainers",
		"policy: {}\nPolicy: {auto_merge: true}\n":                           "olicy",
	} {
		_, err := policyTree(t, t.TempDir(), text)
		if fault.KindOf(err) != fault.Findings || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: got %v, want something about %q", text, err, want)
		}
	}
}

func TestCheckConfig(t *testing.T) {
	_, dir := newTree(t)
	good, err := os.ReadFile(filepath.Join(dir, "registry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.CheckConfig(good); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "name: x\n", string(good) + "colour: red\n", strings.Replace(string(good), "judge: off", "judge: maybe", 1)} {
		if err := registry.CheckConfig([]byte(bad)); fault.KindOf(err) != fault.Findings {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTreeHas(t *testing.T) {
	tree, dir := newTree(t)
	writeText(t, filepath.Join(dir, "tools/em/empty_name/.gitkeep"), "")
	link(t, t.TempDir(), filepath.Join(dir, "tools/em/empty_link"))
	for name, want := range map[string]bool{"text_diff": true, "text_dift": false, "empty_name": true} {
		if got, err := tree.Has(spec.Name(name)); got != want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := tree.Has("empty_link"); got || fault.KindOf(err) != fault.Findings {
		t.Errorf("a link: %v, %v", got, err)
	}
}

// policyText writes a policy as a person would, who leaves nothing out.
func policyText(p registry.Policy) string {
	text := fmt.Sprintf("policy:\n  auto_merge: %t\n  new_name_wait: %q\n  updates_per_day: %d\n", p.AutoMerge, p.NewNameWait, p.UpdatesPerDay)
	if p.JudgeRequired {
		text += "  judge: required\n"
	}
	if len(p.Maintainers) > 0 {
		text += "  maintainers:\n"
	}
	for _, m := range p.Maintainers {
		login, _ := json.Marshal(m.Login)
		text += fmt.Sprintf("    - login: %s\n      id: %d\n", login, m.ID)
	}
	return text
}
