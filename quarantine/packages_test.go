package quarantine

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func packages(all ...string) func(*Subject) {
	return func(s *Subject) { s.Release.Tool.Runtime.Packages = all }
}

func TestPackages(t *testing.T) {
	runTwins(t, []twin{
		{"unknown package", packages("kqjzwv-helper==1.0.0"), "DEP-001 error", packages("requests==2.32.3")},
		{"one letter more", packages("requestss==2.32.3"), "DEP-002 error", packages("requests==2.32.3")},
		{"hyphen left out", packages("pythondateutil==2.9"), "DEP-002 error", packages("python-dateutil==2.9")},
		{"words swapped", packages("dateutil-python==2.9"), "DEP-002 error", packages("Python_DateUtil==2.9")},
		{"digit for a letter", packages("nurnpy==2.0"), "DEP-002 error", packages("numpy==2.0")},
		{"second of two", packages("numpy==2.0", "reqeusts==1.0"), "DEP-002 error", packages("numpy==2.0", "requests==1.0")},
		{"URL", packages("requests @ https://example.com/requests-2.0.whl"), "DEP-003 error", packages("requests==2.0")},
		{"range", packages("requests>=2.0"), "DEP-003 error", packages("requests==2.0")},
		{"extras", packages("requests[socks]==2.0"), "DEP-003 error", packages("requests==2.0")},
		{"marker", packages("requests==2.0; sys_platform == 'win32'"), "DEP-003 error", packages("requests==2.0")},
		{"wildcard", packages("requests==2.*"), "DEP-003 error", packages("requests==2.0")},
		{"local version", packages("requests==2.0+evil"), "DEP-003 error", packages("requests==2.0")},
		{"arbitrary equality", packages("requests===2.0"), "DEP-003 error", packages("requests==2.0")},
		{"option of pip", packages("-r==1"), "DEP-003 error", packages("requests==1")},
		{"path", packages("./requests==1"), "DEP-003 error", packages("requests==1")},
		{"empty", packages(""), "DEP-003 error", packages()},
		{"no version", packages("requests=="), "DEP-003 error", packages("requests==2")},
		{"homoglyph", packages("r\u0435quests==2.0"), "DEP-003 error, TXT-002 error", packages("requests==2.0")},
	})
}

// TestPackagePlace: the finding stands at the line that asks for the package.
func TestPackagePlace(t *testing.T) {
	s := valid(t)
	source(`packages: []`, `packages: ["requestss==1.0"]`)(&s)
	packages("requestss==1.0")(&s)
	found := Check(t.Context(), s).Findings
	if len(found) != 1 || found[0].File != "tool.py" || found[0].Line != 23 || found[0].Col == 0 {
		t.Fatalf("got %+v", found)
	}
	if want := `the package "requestss" is not known, but "requests" is: they are one letter apart`; !strings.HasPrefix(found[0].Message, want) {
		t.Errorf("got %q, want %q first", found[0].Message, want)
	}
	if !strings.Contains(found[0].Fix, `"requests"`) {
		t.Errorf("the fix is %q", found[0].Fix)
	}
}

// TestListIsSorted holds what the look-up takes for granted.
func TestListIsSorted(t *testing.T) {
	names := strings.Split(strings.TrimSuffix(packageList(), "\n"), "\n")
	if len(names) < 14000 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Fatalf("%d names, sorted %v", len(names), slices.IsSorted(names))
	}
	for _, name := range names {
		if !isPackageName(name) || normalName(name) != name {
			t.Errorf("%q is no normal name", name)
		}
		if !listedPackage(name) {
			t.Errorf("%q is not found in its own list", name)
		}
	}
	for _, name := range []string{"", "\n", "requests\n", "requests\nrequests-x", "zzzzzzzz", "0", "~", "# the", "a"} {
		if listedPackage(name) {
			t.Errorf("%q is found", name)
		}
	}
}

// TestListedPackage looks only at the whole of a line.
func TestListedPackage(t *testing.T) {
	for name := range strings.FieldsSeq("requests numpy pandas pyyaml beautifulsoup4 zope-interface urllib3 2to3 langchain-core") {
		if !knownPackage(name) || knownPackage(name+"x") || knownPackage("x"+name) || knownPackage(name[:len(name)-1]+"_") {
			t.Errorf("%s: known %v, with x %v", name, knownPackage(name), knownPackage(name+"x"))
		}
	}
}

func TestNearPackage(t *testing.T) {
	for name, want := range map[string]string{
		"requestss": "requests", "request5": "requests", "pythondateutil": "python-dateutil", "beautiful-soup-4": "beautifulsoup4",
		"nurnpy": "numpy", "dateutil-python": "python-dateutil", "python-pandas": "pandas", "pandas2": "pandas", "numpy-sdk": "numpy",
		"kqjzwv-helper": "", "ab": "",
	} {
		if near, how := nearPackage(name); near != want || (how == "") != (want == "") {
			t.Errorf("%s: got %q, %q, want %q", name, near, how, want)
		}
	}
}

// TestSquats makes the names that are uploaded beside known ones, of every kind
// of change, and counts which are refused. Those that pass are known themselves:
// of real names, some differ in a letter.
func TestSquats(t *testing.T) {
	names := strings.Split(strings.TrimSuffix(packageList(), "\n"), "\n")
	r := rand.New(rand.NewPCG(1, 2))
	letters := "abcdefghijklmnopqrstuvwxyz0123456789"
	changes := map[string]func(string) string{
		"letter left out": func(n string) string { i := r.IntN(len(n)); return n[:i] + n[i+1:] },
		"letter doubled":  func(n string) string { i := r.IntN(len(n)); return n[:i] + n[i:i+1] + n[i:] },
		"letters swapped": func(n string) string { i := r.IntN(len(n) - 1); return n[:i] + n[i+1:i+2] + n[i:i+1] + n[i+2:] },
		"other letter": func(n string) string {
			i := r.IntN(len(n))
			return n[:i] + letters[r.IntN(len(letters)):][:1] + n[i+1:]
		},
		"hyphen left out": func(n string) string { return strings.ReplaceAll(n, "-", "") },
		"hyphen put in":   func(n string) string { i := 1 + r.IntN(len(n)-1); return n[:i] + "-" + n[i:] },
		"words turned":    func(n string) string { w := strings.Split(n, "-"); slices.Reverse(w); return strings.Join(w, "-") },
		"python before":   func(n string) string { return "python-" + n },
		"something after": func(n string) string {
			return n + "-" + []string{"lib", "utils", "core2", "helper", "dev", "sdk"}[r.IntN(6)]
		},
		"digit after": func(n string) string { return n + "2" },
		"digit for letter": func(n string) string {
			return strings.NewReplacer("o", "0", "l", "1", "e", "3").Replace(n)
		},
	}
	total, refused := 0, 0
	for _, how := range slices.Sorted(maps.Keys(changes)) {
		made, passed := 0, 0
		for _, name := range names {
			if len(name) < 5 {
				continue
			}
			squat := normalName(changes[how](name))
			if squat == name || !isPackageName(squat) {
				continue
			}
			made++
			if knownPackage(squat) {
				passed++
			}
		}
		t.Logf("%-16s %5d made, %4d are themselves known (%.2f %%)", how, made, passed, 100*float64(passed)/float64(made))
		total, refused = total+made, refused+made-passed
	}
	t.Logf("%d of %d refused, %.2f %%", refused, total, 100*float64(refused)/float64(total))
	if refused*1000 < total*985 {
		t.Errorf("%d of %d are refused", refused, total)
	}
}

// TestInventedNames: names made of syllables and words, as malicious ones are.
func TestInventedNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("py fast easy auto free super pro discord token nitro grab steal color style http async web crypto wallet bot hack tool kit data cloud util system core net login gen cord scraper checker spoof proxy selfbot stealer injector handler logger helper")
	passed, of := []string{}, 20000
	for range of {
		name := words[r.IntN(len(words))] + []string{"", "-"}[r.IntN(2)] + words[r.IntN(len(words))] + []string{"", "-" + words[r.IntN(len(words))], words[r.IntN(len(words))], "2", "x"}[r.IntN(5)]
		if knownPackage(normalName(name)) && !slices.Contains(passed, name) {
			passed = append(passed, name)
		}
	}
	if len(passed)*1000 > of {
		t.Errorf("%d of %d invented names are known: %q", len(passed), of, passed)
	}
	t.Logf("%d of %d are names of known packages: %q", len(passed), of, passed)
}

func FuzzPackages(f *testing.F) {
	for _, p := range []string{"requests==1.0", "reqests==1", "-r==1", "==", "a\n==1", "requests\nx==1", "x@y", "", "0==0"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pin string) {
		c := &collector{Subject: &Subject{}, tool: &spec.Tool{}, main: "tool.py", source: []byte("# " + pin + "\n")}
		c.tool.Runtime.Packages = []string{pin}
		checkPackages(c)
		if len(c.found) > 1 {
			t.Errorf("%q: %d findings", pin, len(c.found))
		}
		name, version, _ := strings.Cut(pin, "==")
		if len(c.found) == 0 && (!isPackageName(name) || !isPlainVersion(version) || !strings.Contains("\n"+packageList()+"\n", "\n"+normalName(name)+"\n") && !strings.Contains(catalogueText, normalName(name))) {
			t.Errorf("%q passes", pin)
		}
	})
}

func BenchmarkListedPackage(b *testing.B) {
	for b.Loop() {
		listedPackage("requests")
	}
}

func BenchmarkNearPackage(b *testing.B) {
	for b.Loop() {
		nearPackage("kqjzwv-helper")
	}
}
