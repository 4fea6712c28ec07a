package consume

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

func fileTool(fs spec.Filesystem) *Subject {
	in := func(name string) spec.Input { return spec.Input{Name: name, Type: spec.TypeString} }
	return &Subject{Registry: "demo/tools", Tool: &spec.Tool{
		Name: "copy_file", Inputs: []spec.Input{in("input_path"), in("output_path"), in("label")},
		Capabilities: spec.Capabilities{Filesystem: fs},
	}}
}

func arguments(t *testing.T, m map[string]string) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// yard is a folder with files, and a judge who works in it. Files whose names
// begin with "link" are links to what the text says.
func yard(t *testing.T, files map[string]string) (dir string, j *judge) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range files {
		at := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(p), "link") {
			err = os.Symlink(text, at)
		} else {
			err = os.WriteFile(at, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, newJudge(dir, dir, filepath.Join(dir, "state"))
}

func typed(read, write []string) []wish { return wishes(read, write, &Subject{}, nil, "") }

// given are what a run is given, and what is hidden in that; the grants are let go.
func given(t *testing.T, s *Subject, args json.RawMessage, list []wish, j *judge) ([]audit.Grant, []string, error) {
	t.Helper()
	g, err := grant(t.Context(), s, args, list, j)
	if err != nil {
		return nil, nil, err
	}
	defer g.close()
	grants, hidden := g.record()
	return grants, hidden, nil
}

func TestGrantFollowsTheManifest(t *testing.T) {
	dir, j := yard(t, map[string]string{"photo.png": "x", "link.png": "photo.png"})
	photo, small := filepath.Join(dir, "photo.png"), filepath.Join(dir, "small.png")
	args := arguments(t, map[string]string{"input_path": "link.png", "output_path": "small.png", "label": "photo.png"})

	g, err := grant(t.Context(), fileTool(spec.FilesystemReadWrite), args, nil, j)
	if err != nil {
		t.Fatal(err)
	}
	want := []audit.Grant{{Path: photo, From: audit.FromArgument}, {Path: small, Write: true, From: audit.FromArgument}}
	if list, _ := g.record(); !reflect.DeepEqual(list, want) {
		t.Errorf("granted %v, want %v", list, want)
	}
	var got map[string]string
	if err := json.Unmarshal(g.args, &got); err != nil {
		t.Fatal(err)
	}
	if got["input_path"] != photo || got["output_path"] != small || got["label"] != "photo.png" {
		t.Errorf("the tool is told %v", got)
	}
	if _, err := os.Stat(small); err == nil {
		t.Error("a file was made before anybody agreed")
	}
	if err := g.make(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(small); err != nil {
		t.Error(err)
	}
	g.close()
	if _, err := os.Stat(small); err == nil {
		t.Error("the empty file that nobody wrote is still there")
	}

	// A tool that declares no files gets none, whatever its arguments say.
	g, err = grant(t.Context(), fileTool(spec.FilesystemNone), args, nil, j)
	if err != nil || len(g.list) != 0 || string(g.args) != string(args) {
		t.Errorf("filesystem none is granted %v, %v", g.list, err)
	}
	// One that may only read gets no file made for it.
	if _, err = grant(t.Context(), fileTool(spec.FilesystemReadOnly), args, nil, j); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestRewrittenWhole: where a path is written anew, whatever else the schema of an
// operation takes is told to the tool as it was approved.
func TestRewrittenWhole(t *testing.T) {
	dir, j := yard(t, map[string]string{"in": "x"})
	args := json.RawMessage(`{"and":[1.0,"x"],"input_path":"in","more":{"b":2}}`)
	g, err := grant(t.Context(), fileTool(spec.FilesystemReadOnly), args, nil, j)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	if want := `{"input_path":` + strconv.Quote(filepath.Join(dir, "in")) + `,"and":[1.0,"x"],"more":{"b":2}}`; string(g.args) != want {
		t.Errorf("the tool is told %s, want %s", g.args, want)
	}
}

// TestMadeFileStays where it is not the empty one that was made.
func TestMadeFileStays(t *testing.T) {
	for name, change := range map[string]func(string) error{
		"written":  func(p string) error { return os.WriteFile(p, []byte("x"), 0o600) },
		"replaced": func(p string) error { return os.Rename(filepath.Join(filepath.Dir(p), "other"), p) },
	} {
		dir, j := yard(t, map[string]string{"in": "x", "other": ""})
		args := arguments(t, map[string]string{"input_path": "in", "output_path": "out"})
		g, err := grant(t.Context(), fileTool(spec.FilesystemReadWrite), args, nil, j)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.make(); err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		g.close()
		if _, err := os.Stat(filepath.Join(dir, "out")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What came there meanwhile is nobody's to take.
	dir, j := yard(t, map[string]string{"in": "x"})
	g, err := grant(t.Context(), fileTool(spec.FilesystemReadWrite), arguments(t, map[string]string{"output_path": "out"}), nil, j)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("in", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := g.make(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a link in the place of the file to be made: %v", err)
	}
	g.close()
}

func TestGrantRefusals(t *testing.T) {
	dir, j := yard(t, map[string]string{"file": "x", "state/keys/k": "x", "linkstate": "state"})
	none := arguments(t, map[string]string{})
	for name, c := range map[string]struct {
		fs          spec.Filesystem
		read, write []string
		want        fault.Kind
	}{
		"read for a tool without files": {spec.FilesystemNone, []string{"file"}, nil, fault.Denied},
		"write for a tool that reads":   {spec.FilesystemReadOnly, nil, []string{"file"}, fault.Denied},
		"undeclared filesystem":         {"", []string{"file"}, nil, fault.Denied},
		"the whole file system":         {spec.FilesystemReadOnly, []string{"/"}, nil, fault.Denied},
		"the kernel's files":            {spec.FilesystemReadOnly, []string{"/proc/self"}, nil, fault.Denied},
		"a device":                      {spec.FilesystemReadOnly, []string{"/dev/null"}, nil, fault.Denied},
		"what is not there":             {spec.FilesystemReadOnly, []string{"nothing"}, nil, fault.NotFound},
		"writing what is not there":     {spec.FilesystemReadWrite, nil, []string{"nothing"}, fault.NotFound},
		"a path with a zero byte":       {spec.FilesystemReadOnly, []string{"a\x00b"}, nil, fault.Usage},
		// A tool that could write there would decide what it may, and one that
		// could read there would have the keys.
		"patch-git's state":         {spec.FilesystemReadOnly, []string{"state"}, nil, fault.Denied},
		"a part of it":              {spec.FilesystemReadOnly, []string{"state/keys/k"}, nil, fault.Denied},
		"it by a link":              {spec.FilesystemReadOnly, []string{"linkstate/keys"}, nil, fault.Denied},
		"the home, where it lies":   {spec.FilesystemReadOnly, []string{dir}, nil, fault.Denied},
		"what is above the home":    {spec.FilesystemReadWrite, nil, []string{filepath.Dir(dir)}, fault.Denied},
		"the top of the way there":  {spec.FilesystemReadOnly, []string{"/" + strings.Split(dir, "/")[1]}, nil, fault.Denied},
		"more paths than there are": {spec.FilesystemReadOnly, strings.Fields(strings.Repeat("a b c d e ", 20)), nil, fault.Usage},
	} {
		for i := range c.read {
			if c.want == fault.Usage && len(c.read) > 1 {
				c.read[i] = filepath.Join(dir, c.read[i]+string(rune('a'+i%20))+string(rune('a'+i/20)))
				if err := os.WriteFile(c.read[i], nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if list, _, err := given(t, fileTool(c.fs), none, typed(c.read, c.write), j); err == nil || fault.KindOf(err) != c.want {
			t.Errorf("%s: %v, %v, want kind %v", name, list, err, c.want)
		}
	}
	for _, c := range []struct {
		fs          spec.Filesystem
		read, write []string
	}{{spec.FilesystemReadOnly, []string{"file"}, nil}, {spec.FilesystemReadWrite, []string{"file"}, nil}, {spec.FilesystemReadWrite, nil, []string{"file"}}} {
		if list, _, err := given(t, fileTool(c.fs), none, typed(c.read, c.write), j); err != nil || len(list) != 1 || list[0].Write != (c.write != nil) || list[0].From != audit.FromFlag {
			t.Errorf("%v: %v %v", c, list, err)
		}
	}
}

// TestStateThatIsNotThere: a tool could make it.
func TestStateThatIsNotThere(t *testing.T) {
	dir, j := yard(t, map[string]string{"other/x": "x"})
	for path, ok := range map[string]bool{dir: false, filepath.Join(dir, "other"): true} {
		_, _, err := given(t, fileTool(spec.FilesystemReadWrite), arguments(t, nil), typed(nil, []string{path}), j)
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSecrets: below a folder they are hidden, by their own name they are given,
// and under another name they are refused.
func TestSecrets(t *testing.T) {
	dir, j := yard(t, map[string]string{
		"work/.env": "x", "work/plain": "x", "work/deep/er/.ssh/id_rsa": "x", "work/deep/er/.ssh/config": "x",
		".ssh/config": "x", "work/link": "../.ssh/config", "work/linkdir": "../.ssh", "work/linkplain": "plain",
	})
	env, ssh, config := filepath.Join(dir, "work/.env"), filepath.Join(dir, "work/deep/er/.ssh"), filepath.Join(dir, ".ssh/config")
	tool := fileTool(spec.FilesystemReadOnly)
	for name, c := range map[string]struct {
		args   map[string]string
		read   []string
		grants int
		secret int // how many of them are
		from   audit.Origin
		hidden []string
		reason string
	}{
		"a folder":               {read: []string{"work"}, grants: 1, from: audit.FromFlag, hidden: []string{env, ssh}},
		"a folder and one in it": {read: []string{"work", "work/.env"}, grants: 2, secret: 1, from: audit.FromFlag, hidden: []string{ssh}},
		"one by its name":        {read: []string{"work/.env"}, grants: 1, secret: 1, from: audit.FromFlag},
		"a place of them":        {read: []string{".ssh"}, grants: 1, secret: 1, from: audit.FromFlag},
		"a place, hiding keys":   {read: []string{"work/deep/er/.ssh"}, grants: 1, secret: 1, from: audit.FromFlag, hidden: []string{filepath.Join(ssh, "id_rsa")}},
		"in a place":             {read: []string{config}, grants: 1, secret: 1, from: audit.FromFlag},
		"by an argument":         {args: map[string]string{"input_path": ".ssh/config"}, grants: 1, secret: 1, from: audit.FromArgument},
		"in a folder, by an argument": {
			args: map[string]string{"input_path": "work/.env"}, read: []string{"work"}, grants: 2, secret: 1, from: audit.FromFlag, hidden: []string{ssh},
		},
		"by a link":              {read: []string{"work/link"}, reason: ReasonLinkToSecret},
		"by a link, an argument": {args: map[string]string{"input_path": "work/link"}, reason: ReasonLinkToSecret},
		"below a link":           {read: []string{"work/linkdir/config"}, reason: ReasonLinkToSecret},
		"a link to a place":      {read: []string{"work/linkdir"}, reason: ReasonLinkToSecret},
		"the twin of the links":  {read: []string{"work/linkplain"}, grants: 1, from: audit.FromFlag},
	} {
		list, hidden, err := given(t, tool, arguments(t, c.args), typed(c.read, nil), j)
		slices.Sort(hidden)
		secret := 0
		for _, g := range list {
			if g.Secret {
				secret++
			}
		}
		if fault.ReasonOf(err) != c.reason || len(list) != c.grants || secret != c.secret || !slices.Equal(hidden, c.hidden) || len(list) > 0 && list[0].From != c.from {
			t.Errorf("%s: %+v, hidden %v, %v", name, list, hidden, err)
		}
	}
}

// TestObeyed: what other programs run or obey counts as that where an argument would have
// it written: by its name, by a link to it or from it, and in a folder. Reading it is
// reading, and a path that a person named needs no more words.
func TestObeyed(t *testing.T) {
	dir, j := yard(t, map[string]string{
		".bashrc": "x", "bashrc": "x", "linkrc": ".bashrc", "dots/rc": "x", "repo/.git/config": "x", "repo/src/deep/.git/hooks/a": "x",
		"plain/x": "x", "home/link": "x",
	})
	if err := os.Symlink("../dots/rc", filepath.Join(dir, "home/.zshrc")); err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	tool := fileTool(spec.FilesystemReadWrite)
	for name, c := range map[string]struct {
		input, output string
		write         []string
		want          []string
	}{
		"a file to write":          {output: ".bashrc", want: []string{at(".bashrc")}},
		"one that is not there":    {output: ".zshenv", want: []string{at(".zshenv")}},
		"by a link":                {output: "linkrc", want: []string{at(".bashrc")}},
		"where a link leads":       {output: "home/.zshrc", want: []string{at("dots/rc")}},
		"a hook":                   {output: "repo/.git/hook", want: []string{at("repo/.git/hook")}},
		"a folder with some in it": {output: "repo", want: []string{at("repo/.git"), at("repo/src/deep/.git")}},
		"another file":             {output: "bashrc"},
		"a folder with none":       {output: "plain"},
		"to read":                  {input: ".bashrc"},
		"named by a person":        {output: ".bashrc", write: []string{".bashrc"}},
		"in a folder of a person":  {output: "repo/.git/hook", write: []string{"repo"}},
	} {
		args := map[string]string{}
		if c.input != "" {
			args["input_path"] = c.input
		}
		if c.output != "" {
			args["output_path"] = c.output
		}
		g, err := grant(t.Context(), tool, arguments(t, args), typed(nil, c.write), j)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, d := range g.list {
			if d.From == audit.FromArgument {
				got = append(got, d.obeyed...)
			} else if d.obeyed != nil && name != "named by a person" {
				t.Errorf("%s: %+v", name, d)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		g.close()
	}
}

// TestTwiceGranted: one path is one grant, the wider one.
func TestTwiceGranted(t *testing.T) {
	dir, j := yard(t, map[string]string{"a/file": "x"})
	tool, file := fileTool(spec.FilesystemReadWrite), filepath.Join(dir, "a/file")
	for name, c := range map[string]struct {
		args map[string]string
		list []wish
		want []audit.Grant
	}{
		"read twice":      {nil, typed([]string{"a/file", file}, nil), []audit.Grant{{Path: file, From: audit.FromFlag}}},
		"read and write":  {nil, typed([]string{file}, []string{file}), []audit.Grant{{Path: file, Write: true, From: audit.FromFlag}}},
		"flag, argument":  {map[string]string{"input_path": file}, typed([]string{file}, nil), []audit.Grant{{Path: file, From: audit.FromFlag}}},
		"argument writes": {map[string]string{"output_path": file}, typed([]string{file}, nil), []audit.Grant{{Path: file, Write: true, From: audit.FromArgument}}},
		"in a folder":     {map[string]string{"input_path": file}, typed([]string{"a"}, nil), []audit.Grant{{Path: filepath.Dir(file), From: audit.FromFlag}}},
		"new in a folder": {map[string]string{"output_path": "a/new"}, typed(nil, []string{"a"}), []audit.Grant{{Path: filepath.Dir(file), Write: true, From: audit.FromFlag}}},
		"writes in a folder to read": {
			map[string]string{"output_path": file},
			typed([]string{"a"}, nil),
			[]audit.Grant{{Path: filepath.Dir(file), From: audit.FromFlag}, {Path: file, Write: true, From: audit.FromArgument}},
		},
	} {
		if list, _, err := given(t, tool, arguments(t, c.args), c.list, j); err != nil || !reflect.DeepEqual(list, c.want) {
			t.Errorf("%s: %v %v, want %v", name, list, err, c.want)
		}
	}
}

// TestStandingGrants: the configuration is as if it were typed. What stands for
// a tool must fit the tool, what stands for a registry need not.
func TestStandingGrants(t *testing.T) {
	dir, j := yard(t, map[string]string{"r": "x", "w": "x", "t": "x"})
	own := config.Tool{Registry: "demo/tools", Name: "copy_file"}
	all := &config.Config{
		Registries: map[spec.RegistryName]config.Defaults{
			"demo/tools":  {Read: []string{"~/r"}, Write: []string{filepath.Join(dir, "w")}},
			"other/tools": {Read: []string{filepath.Join(dir, "none")}},
		},
		Tools: map[config.Tool]config.Defaults{
			own: {Read: []string{filepath.Join(dir, "t")}},
			{Registry: "other/tools", Name: "copy_file"}: {Read: []string{filepath.Join(dir, "none")}},
		},
	}
	at := func(name string, write bool) audit.Grant {
		return audit.Grant{Path: filepath.Join(dir, name), Write: write, From: audit.FromConfig}
	}
	for fs, want := range map[spec.Filesystem][]audit.Grant{
		spec.FilesystemReadWrite: {at("r", false), at("w", true), at("t", false)},
		spec.FilesystemReadOnly:  {at("r", false), at("t", false)},
	} {
		s := fileTool(fs)
		if list, _, err := given(t, s, arguments(t, nil), wishes(nil, nil, s, all, dir), j); err != nil || !reflect.DeepEqual(list, want) {
			t.Errorf("%s: %v %v, want %v", fs, list, err, want)
		}
	}
	s := fileTool(spec.FilesystemNone)
	_, _, err := given(t, s, arguments(t, nil), wishes(nil, nil, s, all, dir), j)
	if fault.ReasonOf(err) != "capability" || !slices.Contains(fault.HintsOf(err), "patch-git grants forget demo/tools/copy_file") {
		t.Errorf("what the tool does not declare: %v, %v", err, fault.HintsOf(err))
	}
	delete(all.Tools, own)
	if list, _, err := given(t, s, arguments(t, nil), wishes(nil, nil, s, all, dir), j); err != nil || len(list) != 0 {
		t.Errorf("what stands for the registry alone: %v %v", list, err)
	}
	s.Registry = "" // a file of one's own
	if list := wishes(nil, nil, s, all, dir); len(list) != 0 {
		t.Errorf("a file of one's own is given %v", list)
	}
}

// TestSearchBounds: what was not searched is told, and what cannot all be hidden
// is not given.
func TestSearchBounds(t *testing.T) {
	deep := strings.Repeat("d/", limits.GrantDepth+2) + "x"
	dir, j := yard(t, map[string]string{"deep/" + deep: "x", "shallow/x": "x"})
	for name, notes := range map[string]int{"deep": 1, "shallow": 0} {
		g, err := grant(t.Context(), fileTool(spec.FilesystemReadOnly), arguments(t, nil), typed([]string{name}, nil), j)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.notes) != notes || notes > 0 && !strings.Contains(g.notes[0], strconv.Quote(filepath.Join(dir, "deep"))[:20]) {
			t.Errorf("%s: %q", name, g.notes)
		}
		g.close()
	}
	files := map[string]string{}
	for i := range limits.GrantHidden + 1 {
		files["many/.env."+strconv.Itoa(i)] = "x"
	}
	dir, j = yard(t, files)
	if _, _, err := given(t, fileTool(spec.FilesystemReadOnly), arguments(t, nil), typed([]string{"many"}, nil), j); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "secrets" {
		t.Errorf("too many: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "many/.env.0")); err != nil {
		t.Fatal(err)
	}
	if _, hidden, err := given(t, fileTool(spec.FilesystemReadOnly), arguments(t, nil), typed([]string{"many"}, nil), j); err != nil || len(hidden) != limits.GrantHidden {
		t.Errorf("the twin: %d hidden, %v", len(hidden), err)
	}
}
