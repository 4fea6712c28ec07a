package quarantine

import (
	"slices"
	"strings"
	"testing"
)

// TestCatalogueIsWellFormed holds catalogue.txt to the grammar in its head, which
// the reader takes for granted, and to the sense of a ceiling: nothing below it
// says more, so that a star import is never understated.
func TestCatalogueIsWellFormed(t *testing.T) {
	words := []Capability{"network", "read", "write", "process", "environment", "native", "dynamic"}
	packages, modules := map[string]bool{}, map[string]bool{}
	var here []string
	n, line := 0, ""
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("catalogue.txt:%d: "+format, append([]any{n}, args...)...)
	}
	for line = range strings.Lines(catalogueText) {
		n++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '\t':
			caps, names, ok := strings.Cut(line[1:], ": ")
			if !ok || len(strings.Fields(names)) == 0 || len(here) == 0 {
				fail("%.40q lists nothing", line)
			}
			for _, c := range capabilityWords(strings.TrimPrefix(caps, ".")) {
				for _, m := range here {
					if !slices.Contains(known().modules[m].ceiling, c) {
						fail("%s is more than the ceiling of %s", c, m)
					}
				}
			}
			continue
		}
		head, caps, ok := strings.Cut(line, " = ")
		if !ok || caps == "" {
			fail("%.40q has no ceiling", line)
		}
		for _, c := range capabilityWords(caps) {
			if !slices.Contains(words, c) {
				fail("%q is no capability", c)
			}
		}
		here = nil
		for p := range strings.FieldsSeq(head) {
			name, _, _ := strings.Cut(p, ":")
			if packages[name] || name != normalName(name) || !isPackageName(name) {
				fail("the package %q stands twice or is no normal name", name)
			}
			packages[name] = true
			here = append(here, strings.Split(known().packages[name], ",")...)
		}
		slices.Sort(here)
		here = slices.Compact(here)
		for _, m := range here {
			if modules[m] {
				fail("the module %q stands on two lines", m)
			}
			modules[m] = true
		}
	}
	if len(packages) < 250 || len(modules) < 250 {
		t.Errorf("%d packages and %d modules", len(packages), len(modules))
	}
}

// TestNoNameTwice: of two lines that list one name, the first would count, and a
// reader of the second would not know.
func TestNoNameTwice(t *testing.T) {
	for module, entry := range known().modules {
		for _, lists := range [][]listed{entry.names, entry.methods} {
			seen := map[string][]Capability{}
			for _, l := range lists {
				for name := range strings.FieldsSeq(l.names) {
					if caps, ok := seen[name]; ok && !slices.Equal(caps, l.capabilities) {
						t.Errorf("%s: %s is %v and %v", module, name, caps, l.capabilities)
					}
					seen[name] = l.capabilities
				}
			}
		}
	}
}

// beyondTheList are the packages of the catalogue that are not in packages.txt,
// each of them looked up in the index: to name one here is to admit it, and a
// name from memory may be free for anybody.
const beyondTheList = `aci-sdk agentql ain-py amadeus arxiv2text autocorrect baidusearch bioservices bohrium-sdk
	brightdata-sdk chembl-webresource-client contextual-client cupy dappier datacommons-client datamol disnake eyed3 gget
	griptape guidance helium homeassistant-api imdbpy langchain-apify llama-index-tools-google lumaai lyricsgenius medchem
	metagpt minds-sdk mindsdb-sdk multion patronus psychopy py-trello pybluez pysmt rizaio scavio scraperapi-sdk seltz
	steamship superserve timesfm toolbox-langchain toolhouse underthesea vaex yelpapi youtube-comment-downloader`

func TestCatalogueAdmitsNothingFromMemory(t *testing.T) {
	var beyond []string
	for p := range known().packages {
		if !listedPackage(p) {
			beyond = append(beyond, p)
		}
	}
	slices.Sort(beyond)
	if want := strings.Fields(beyondTheList); !slices.Equal(beyond, want) {
		t.Errorf("beyond the list are %q, want %q", beyond, want)
	}
}

func TestPackageCapabilities(t *testing.T) {
	const unknown = "unknown"
	for name, want := range map[string]string{
		// A module alone does nothing; everything in it is its ceiling.
		"requests": "", "requests.*": "network", "pandas": "",
		"pandas.*": "network read write process environment native dynamic",
		// Names, what is below them, and what is not listed.
		"requests.get": "network", "requests.Session.get": "network", "requests.exceptions.Timeout": "", "requests.codes.ok": "",
		"pandas.DataFrame": "", "pandas.DataFrame.from_dict": "", "pandas.read_csv": "network read",
		"pandas.read_pickle": "network read dynamic", "pandas.eval": "dynamic", "pandas.Series.str.upper": "",
		"pandas.no_such_name": "network read write process environment native dynamic",
		"numpy.array":         "", "numpy.linalg.norm": "", "numpy.linalg": "", "numpy.load": "read dynamic", "numpy.ctypeslib.load_library": "native",
		"yaml.safe_load": "", "yaml.load": "dynamic", "yaml.unsafe_load": "dynamic", "yaml.FullLoader": "dynamic", "yaml.SafeLoader": "",
		"PIL.Image": "", "PIL.Image.open": "read", "PIL.Image.new": "", "PIL.ImageGrab.grab": "read process",
		"jinja2.Template": "read dynamic", "jinja2.sandbox.SandboxedEnvironment": "",
		"google.cloud.storage.Client": "network read environment", "google.protobuf.json_format.MessageToDict": "",
		"bs4.BeautifulSoup": "", "boto3.client": "network read write environment", "sympy.sympify": "read write process native dynamic", "sympy.Symbol": "",
		// A method that stands behind a listed name is what the method is.
		"pandas.DataFrame.to_csv": "network write", "openpyxl.Workbook.save": "write", "PIL.Image.Image.save": "write",
		// Ways out of a package, whatever the package may do by itself.
		"pandas.io.common.os.system": "network read write process environment native dynamic", "requests.sessions.os": unknown, "numpy.os.system": "network read write process environment native dynamic", "bs4.builtins.eval": unknown,
		"requests._os.system": unknown, "requests.compat.builtins": unknown, "tabulate.io.open": unknown, "bs4.open": unknown, "bs4.BeautifulSoup._os.x": unknown, "bs4.BeautifulSoup._most_recent": "", "pdfplumber.open": "read", "yaml.__builtins__": unknown,
		"requests.__version__": "", "requests.__loader__": unknown, "pydantic.main.sys.modules": unknown,
		"numpy.linalg.linalg.sys.modules": "network read write process environment native dynamic", "click.testing.subprocess.run": unknown,
		// Nobody's.
		"": unknown, "nosuchmodule": unknown, "nosuchmodule.get": unknown, "pandasx.read_csv": unknown, "google": unknown, ".*": unknown,
	} {
		caps, ok := packageCapabilities(name)
		got := joined(caps)
		if !ok {
			got = unknown
		}
		if !sameWords(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestWaysOut: each of them, plain or private, leads out of a package that is pure.
func TestWaysOut(t *testing.T) {
	ways := strings.Fields(waysOut)
	if len(ways) < 45 || len(strings.Fields(plainNames)) < 25 {
		t.Errorf("%d ways out", len(ways))
	}
	for _, way := range ways {
		for _, name := range []string{"bs4." + way, "bs4.element." + way + ".x", "bs4._" + way, "bs4.BeautifulSoup.__" + way, "requests." + way} {
			if caps, ok := packageCapabilities(name); ok {
				t.Errorf("%s is known to do %v", name, caps)
			}
		}
	}
	for name := range strings.FieldsSeq("bs4.eval bs4.open bs4.exec bs4.system bs4.environ bs4.element.getenv bs4.__dict__ bs4.__globals__ bs4.x.__subclasses__") {
		if caps, ok := packageCapabilities(name); ok {
			t.Errorf("%s is known to do %v", name, caps)
		}
	}
}

func TestMethodCapabilities(t *testing.T) {
	for _, tc := range [][3]string{
		{"pandas", "to_csv", "network write"},
		{"pandas.core.frame", "to_csv", "network write"}, // a module below has the methods of the one above
		{"pandas", "head", ""},
		{"google", "upload_from_filename", "network read"}, // of google.cloud.storage
		{"pandas", "to_sql", "network"},
		{"pandas", "query", "dynamic"},
		{"openpyxl", "save", "write"},
		{"openpyxl", "to_csv", ""},
		{"nosuchmodule", "to_csv", ""},
		{"matplotlib.pyplot", "savefig", "write"},
		{"docx", "save", "write"},
		{"numpy", "tofile", "write"},
		{"", "save", ""},
	} {
		if got := joined(methodCapabilities(tc[0], tc[1])); !sameWords(got, tc[2]) {
			t.Errorf("%s of %s: got %q, want %q", tc[1], tc[0], got, tc[2])
		}
	}
}

// TestCatalogueIsNotChanged: answers share the catalogue's slices.
func TestCatalogueIsNotChanged(t *testing.T) {
	first, _ := packageCapabilities("pandas.read_csv")
	_, _ = packageCapabilities("pandas.read_csv.to_sql.eval")
	_ = append(first, "dynamic")
	if again, _ := packageCapabilities("pandas.read_csv"); !slices.Equal(again, []Capability{"network", "read"}) {
		t.Errorf("got %v", again)
	}
}

func joined(caps []Capability) string {
	var words []string
	for _, c := range caps {
		words = append(words, string(c))
	}
	return strings.Join(words, " ")
}

func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

func FuzzPackageCapabilities(f *testing.F) {
	for _, name := range []string{"pandas.read_csv", "requests", "a..b", ".", "*", "pandas.*", "google.cloud.storage.x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		caps, ok := packageCapabilities(name)
		if !ok && len(caps) > 0 {
			t.Errorf("%q is unknown and can %v", name, caps)
		}
		for _, part := range strings.Split(name, ".")[1:] {
			if ok && part == "subprocess" {
				t.Errorf("%q leads out and is known", name)
			}
		}
		methodCapabilities(name, name)
	})
}

func BenchmarkReadCatalogue(b *testing.B) {
	for b.Loop() {
		readCatalogue(catalogueText)
	}
}

func BenchmarkPackageCapabilities(b *testing.B) {
	known()
	for b.Loop() {
		packageCapabilities("numpy.nanquantile")
	}
}
