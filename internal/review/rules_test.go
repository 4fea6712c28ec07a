package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// add puts further changes into a submission.
func add(changes ...review.Change) func(*scene) {
	return func(x *scene) { x.s.Changes = append(x.s.Changes, changes...) }
}

func moved(from, to string) review.Change {
	return review.Change{Path: to, Previous: from, Status: review.Renamed, Mode: "100644", Data: []byte("x\n")}
}

func changed(path string, status review.Status) review.Change {
	c := review.Change{Path: path, Status: status, Mode: "100644", Data: []byte("x\n")}
	if status == review.Removed {
		c.Mode, c.Data = "", nil
	}
	return c
}

// TestPaths holds what a pull request touches against the rules: the attack,
// who refuses it, and the twin that differs in that one point.
func TestPaths(t *testing.T) {
	nothing := func(*scene) {}
	for name, c := range map[string]struct {
		of           func() *scene
		attack, twin func(*scene)
		want         string
	}{
		"a workflow beside a tool": {update, add(file(".github/workflows/x.yml", "on: push\n")), add(file(dir+"1.1.0/README.md", "on: push\n")), "GOV-001"},
		"registry.yaml beside":     {update, add(file("registry.yaml", "x")), nothing, "GOV-001"},
		"a waiver beside":          {update, add(file("waivers/csv_to_json.yaml", "x")), nothing, "GOV-001"},
		"action.yml beside tool.yaml, by a maintainer": {yank, func(x *scene) {
			x.with(from(root), add(file("action.yml", "x")))
		}, from(root), "GOV-001"},
		"two names":            {update, add(file("tools/te/text_diff/1.0.0/tool.py", "x")), nothing, "GOV-002"},
		"two names' tool.yaml": {yank, add(changed("tools/te/text_diff/tool.yaml", review.Modified)), nothing, "GOV-002"},
		"two versions":         {update, add(file(dir+"1.2.0/tool.py", "x")), nothing, "GOV-002"},
		"tool.yaml beside":     {update, add(changed(dir+"tool.yaml", review.Modified)), nothing, "GOV-002"},
		"nothing at all":       {update, func(x *scene) { x.s.Changes = nil }, nothing, "GOV-002"},
		"an edit":              {update, add(changed(dir+"1.0.0/tool.py", review.Modified)), nothing, "GOV-002 MAN-003"},
		"a deletion":           {update, add(changed(dir+"1.0.0/tool.py", review.Removed)), nothing, "GOV-002 MAN-003"},
		"a file more":          {update, func(x *scene) { x.s.Changes = []review.Change{file(dir+"1.0.0/README.md", "x")} }, func(x *scene) { x.with(add(file(dir+"1.1.0/README.md", "x"))) }, "MAN-002 MAN-003"},
		"a rename of published bytes": {update, func(x *scene) {
			x.s.Changes = []review.Change{moved(dir+"1.0.0/tool.py", dir+"1.1.0/tool.py")}
		}, nothing, "GOV-002 MAN-003"},
		"a rename out of .github":      {update, func(x *scene) { x.s.Changes = []review.Change{moved(".github/CODEOWNERS", dir+"1.1.0/tool.py")} }, nothing, "GOV-001"},
		"a rename from nowhere":        {update, func(x *scene) { x.s.Changes = []review.Change{moved("", dir+"1.1.0/tool.py")} }, nothing, "GOV-002 GOV-003"},
		"an edit of what is not there": {update, func(x *scene) { x.s.Changes[0].Status = review.Modified }, nothing, "MAN-003"},
		"an unheard-of status":         {update, func(x *scene) { x.s.Changes[0].Status = "copied" }, nothing, "GOV-003 MAN-003"},
		"no status":                    {update, func(x *scene) { x.s.Changes[0].Status = "" }, nothing, "GOV-003 MAN-003"},
		"an equal version":             {update, func(x *scene) { x.with(version("1.0.0")) }, version("1.0.1"), "MAN-003"},
		"a lower version":              {update, version("0.9.9"), version("1.0.1"), "MAN-003"},
		"a pre-release of the last":    {update, version("1.0.0-rc.1"), version("1.0.1-rc.1"), "MAN-003"},
		"a version that differs in case": {update, func(x *scene) {
			x.b.Versions = append(x.b.Versions, "1.1.0-RC")
			x.with(version("1.1.0-rc"))
		}, func(x *scene) {
			x.b.Versions = append(x.b.Versions, "1.1.0-RC")
			x.with(version("1.1.0-rd"))
		}, "MAN-003"},
		"another folder than the manifest says": {update, func(x *scene) { x.c.Tool.Version = "1.2.0" }, nothing, "MAN-002"},
		"another name than the manifest says":   {update, func(x *scene) { x.c.Tool.Name = "csv_to_jsno" }, nothing, "MAN-002"},
		"no manifest":                           {update, func(x *scene) { x.c.Tool = nil }, nothing, "GOV-003"},
		"a file in the shard":                   {update, add(file("tools/cs/x.py", "x")), nothing, "GOV-002 GOV-003"},
		"a file in the name":                    {update, add(file(dir+"x.py", "x")), nothing, "GOV-003"},
		"a file in tools":                       {update, add(file("tools/x.py", "x")), nothing, "GOV-002 GOV-003"},
		"another shard":                         {update, func(x *scene) { x.s.Changes[0].Path = "tools/xx/csv_to_json/1.1.0/tool.py" }, nothing, "GOV-003"},
		"Tools":                                 {rules, add(file("Tools/cs/csv_to_json/1.1.0/tool.py", "x")), add(file("tool/cs/x", "x")), "GOV-003"},
		"a name in capitals":                    {newName, func(x *scene) { x.s.Changes[0].Path = "tools/cs/CSV_to_json/1.0.0/tool.py" }, nothing, "GOV-002 GOV-003 MAN-002"},
		"a name that is a device":               {update, func(x *scene) { x.s.Changes[0].Path = "tools/co/con/1.0.0/tool.py" }, nothing, "MAN-002"},
		"a version that is none":                {update, func(x *scene) { x.s.Changes[0].Path = dir + "v1.1/tool.py" }, nothing, "GOV-003"},
		"a path that climbs":                    {update, func(x *scene) { x.s.Changes[0].Path = dir + "../../../.github/x" }, nothing, "GOV-003"},
		"a path from the root":                  {update, func(x *scene) { x.s.Changes[0].Path = "/etc/passwd" }, nothing, "GOV-003"},
		"a path with a backslash":               {update, func(x *scene) { x.s.Changes[0].Path = `tools\cs\x` }, nothing, "GOV-003"},
		"a path with an escape":                 {update, func(x *scene) { x.s.Changes[0].Path = dir + "1.1.0/\x1b[2Jtool.py" }, nothing, "GOV-003"},
		"a path that is not UTF-8":              {update, func(x *scene) { x.s.Changes[0].Path = dir + "1.1.0/\xff.py" }, nothing, "GOV-003"},
		"a hidden file":                         {update, add(file(dir+"1.1.0/.netrc", "x")), add(file(dir+"1.1.0/LICENSE", "x")), "GOV-003"},
		"twins":                                 {update, add(file(dir+"1.1.0/Tool.py", "x")), add(file(dir+"1.1.0/README.md", "x")), "GOV-003"},
		"one file twice":                        {update, add(file(dir+"1.1.0/tool.py", "x")), add(file(dir+"1.1.0/README.md", "x")), "GOV-003"},
		"twins of folders":                      {rules, add(file("Docs/x.md", "x")), add(file("docs/x.md", "x")), "GOV-003"},
		"a closure of one's own":                {update, add(file(dir+"1.1.0/closure.json", "{}")), nothing, "GOV-003"},
		"a lock of one's own":                   {update, add(file(dir+"1.1.0/pylock.toml", "x")), nothing, "GOV-003"},
		"evidence of one's own":                 {update, add(file(dir+"1.1.0/evidence.sigstore.json", "{}")), nothing, "GOV-003"},
		"a link":                                {update, func(x *scene) { x.s.Changes[0].Mode = "120000" }, nothing, "GOV-003"},
		"a submodule":                           {update, func(x *scene) { x.s.Changes[0].Mode = "160000" }, nothing, "GOV-003"},
		"an executable bit":                     {update, func(x *scene) { x.s.Changes[0].Mode = "100755" }, nothing, "GOV-003"},
		"no mode":                               {update, func(x *scene) { x.s.Changes[0].Mode = "" }, nothing, "GOV-003"},
		"not read":                              {update, func(x *scene) { x.s.Changes[0].Data, x.s.Changes[0].Refused = nil, "too large" }, nothing, "GOV-003"},
		"refused though it was read":            {update, func(x *scene) { x.s.Changes[0].Refused = "it changed meanwhile" }, nothing, "GOV-003"},
		"not read, and nobody says why":         {update, func(x *scene) { x.s.Changes[0].Data = nil }, nothing, "GOV-003"},
		"a pointer into large file storage":     {update, data("version https://git-lfs.github.com/spec/v1\n"), data("version https://git-lfs\n"), "GOV-003"},
		"binary":                                {update, data("\x00"), data("0"), "GOV-003"},
		"not UTF-8":                             {update, data("\xff"), data("ÿ"), "GOV-003"},
		"a byte too large":                      {update, data(strings.Repeat("x", 256<<10+1)), data(strings.Repeat("x", 256<<10)), "GOV-003"},
		"a file too many":                       {update, many(200), many(199), "GOV-003"},
		"a byte too many":                       {update, heavy(8), heavy(7), "GOV-003"},
		"tool.yaml as a link":                   {yank, func(x *scene) { x.s.Changes[0].Mode = "120000" }, nothing, "GOV-003"},
	} {
		t.Run(name, func(t *testing.T) {
			errorsAre(t, c.of().with(c.attack).judge(), c.want)
			errorsAre(t, c.of().with(c.twin).judge(), "")
		})
	}
}

// version proposes another one.
func version(v spec.Version) func(*scene) {
	return func(x *scene) {
		x.s.Changes[0].Path = dir + string(v) + "/tool.py"
		x.c.Tool.Version = v
	}
}

func data(text string) func(*scene) {
	return func(x *scene) { x.s.Changes[0].Data = []byte(text) }
}

func many(n int) func(*scene) {
	return func(x *scene) {
		for i := range n {
			x.with(add(file(fmt.Sprintf("%s1.1.0/f%d", dir, i), "x")))
		}
	}
}

// heavy adds n files of the largest size, of which eight are too much with
// the main file.
func heavy(n int) func(*scene) {
	return func(x *scene) {
		for i := range n {
			x.with(add(file(fmt.Sprintf("%s1.1.0/f%d", dir, i), strings.Repeat("x", 256<<10))))
		}
	}
}

// TestOwners: who may say what, by number and for this head.
func TestOwners(t *testing.T) {
	nobody := ledger.Owner{Login: "ada"}
	meta := func(m review.Meta) func(*scene) { return func(x *scene) { x.c.Meta = &m } }
	owners := func(o ...ledger.Owner) func(*scene) { return meta(review.Meta{Owners: o}) }
	all := func(fs ...func(*scene)) func(*scene) { return func(x *scene) { x.with(fs...) } }
	renamed := ledger.Owner{Login: "ada-new", ID: 7}
	writer := func(x *scene) { x.s.Maintainer = true }
	for name, c := range map[string]struct {
		of           func() *scene
		attack, twin func(*scene)
		want         string
	}{
		"a version by somebody":           {update, from(bob), from(ada), "GOV-005"},
		"by who took the login over":      {update, from(pretend), from(renamed), "GOV-005"},
		"by an account without a number":  {update, from(nobody), from(ada), "GOV-005"},
		"by a maintainer who is no owner": {update, from(root), all(from(root), approve(ada)), "GOV-005"},
		"by who may write":                {update, all(from(bob), writer), all(from(ada), writer), "GOV-005"},
		"approved by the wrong one":       {update, all(from(bob), approve(pretend)), all(from(bob), approve(ada)), "GOV-005"},
		"of a name that nobody owns":      {update, func(x *scene) { x.b.Meta.Owners = nil }, from(ada), "GOV-005"},
		"of owners without numbers": {update, func(x *scene) {
			x.b.Meta.Owners = []ledger.Owner{nobody}
			x.s.Author = nobody
		}, from(ada), "GOV-005"},

		"a new name without tool.yaml": {newName, func(x *scene) { x.s.Changes, x.c.Meta = x.s.Changes[:1], nil }, from(bob), "GOV-006"},
		"that names somebody else":     {newName, owners(ada), owners(bob), "GOV-006 GOV-007"},
		"that names another number":    {newName, owners(ledger.Owner{Login: "bob", ID: 10}), owners(bob), "GOV-006 GOV-007"},
		"that names another login":     {newName, owners(ledger.Owner{Login: "ada", ID: 9}), owners(bob), "GOV-006 GOV-007"},
		"that names nobody":            {newName, owners(), owners(bob), "GOV-006"},
		"that names the author second": {newName, all(owners(ada, bob), approve(ada)), all(owners(bob, ada), approve(ada)), "GOV-006"},
		"that names a friend unasked":  {newName, owners(bob, ada), all(owners(bob, ada), approve(ada)), "GOV-007"},
		"that is not readable":         {newName, func(x *scene) { x.c.Meta, x.c.MetaErr = nil, fmt.Errorf("tabs") }, owners(bob), "GOV-006"},
		"that was not read":            {newName, func(x *scene) { x.c.Meta = nil }, owners(bob), "GOV-006"},
		"that names one twice":         {newName, owners(bob, bob), owners(bob), "GOV-006"},
		"that withdraws":               {newName, meta(review.Meta{Owners: []ledger.Owner{bob}, Yanked: map[spec.Version]string{"1.0.0": "x"}}), owners(bob), "GOV-008"},
		"that was removed once":        {newName, func(x *scene) { x.b.Gone = true }, owners(bob), "MAN-002"},

		"tool.yaml by somebody":            {yank, from(bob), from(ada), "GOV-006"},
		"by who took over the login":       {yank, from(pretend), from(root), "GOV-006"},
		"by a maintainer without a number": {yank, all(from(nobody), writer), all(from(bob), writer), "GOV-005 GOV-006"},
		"of a tool that there is not":      {yank, func(x *scene) { x.b = review.Base{} }, from(ada), "GOV-006"},
		"removed":                          {yank, func(x *scene) { x.s.Changes[0] = changed(dir+"tool.yaml", review.Removed) }, from(ada), "GOV-006"},
		"removed by a maintainer":          {yank, all(from(root), func(x *scene) { x.s.Changes[0] = changed(dir+"tool.yaml", review.Removed) }), from(root), "GOV-006"},
		"moved":                            {yank, func(x *scene) { x.s.Changes[0] = moved(dir+"tool.yaml", "tools/te/text_diff/tool.yaml") }, from(ada), "GOV-002"},

		"a transfer that the new owner does not know": {yank, owners(bob), all(owners(bob), approve(bob)), "GOV-007"},
		"that the old owner does not know":            {yank, all(from(bob), owners(bob)), all(from(bob), owners(bob), approve(ada)), "GOV-006 GOV-007"},
		"that a maintainer gives away unasked":        {yank, all(from(root), owners(bob)), all(from(root), owners(bob), approve(bob)), "GOV-007"},
		"to a login with another number":              {yank, all(owners(ledger.Owner{Login: "bob", ID: 10}), approve(bob)), all(owners(bob), approve(bob)), "GOV-007"},
		"to a number with another login":              {yank, all(owners(ledger.Owner{Login: "famous", ID: 9}), approve(bob)), all(owners(bob), approve(bob)), "GOV-007"},
		"to nobody":                                   {yank, owners(), owners(ada), "GOV-007"},
		"to a login alone":                            {yank, all(owners(ada, ledger.Owner{Login: "bob"}), approve(ledger.Owner{Login: "bob"})), all(owners(ada, bob), approve(bob)), "GOV-006"},
		"that puts one out unasked": {
			yank, all(func(x *scene) { x.b.Meta.Owners = []ledger.Owner{ada, bob} }, owners(ada)),
			all(func(x *scene) { x.b.Meta.Owners = []ledger.Owner{ada, bob} }, owners(ada), approve(bob)), "GOV-007",
		},
		"a login that is another's":       {yank, owners(ledger.Owner{Login: "famous", ID: 7}), all(from(renamed), owners(renamed)), "GOV-007"},
		"a login that nobody vouches for": {yank, all(from(root), owners(renamed)), all(from(root), owners(renamed), approve(renamed)), "GOV-007"},

		"a revocation taken back": {yank, all(revoked, owners(ada)), all(revoked, meta(review.Meta{Owners: []ledger.Owner{ada}, Revoked: map[spec.Version]string{"0.9.0": "malware"}})), "GOV-008"},
		"taken back by a maintainer": {yank, all(revoked, from(root), owners(ada)), all(revoked, from(root),
			meta(review.Meta{Owners: []ledger.Owner{ada}, Revoked: map[spec.Version]string{"0.9.0": "malware"}})), "GOV-008"},
		"turned into a yank": {yank, all(revoked, meta(review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"0.9.0": "malware"}})), owners(ada), "GOV-008"},
		"a yank of nothing":  {yank, meta(review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"2.0.0": "x"}}), meta(review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"0.9.0": "x"}}), "GOV-008"},
		"a replacement that anybody can claim": {
			yank, meta(review.Meta{Owners: []ledger.Owner{ada}, ReplacedBy: "csv_tool"}),
			all(func(x *scene) { x.c.Replaces = true }, meta(review.Meta{Owners: []ledger.Owner{ada}, ReplacedBy: "csv_tool"})), "GOV-008",
		},
		"itself as the replacement": {
			yank, all(func(x *scene) { x.c.Replaces = true }, meta(review.Meta{Owners: []ledger.Owner{ada}, ReplacedBy: "csv_to_json"})),
			all(func(x *scene) { x.c.Replaces = true }, meta(review.Meta{Owners: []ledger.Owner{ada}, ReplacedBy: "csv_tool"})), "GOV-008",
		},
		"a reason that hides text": {
			yank, meta(review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"1.0.0": "x\u202eexe"}}),
			meta(review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"1.0.0": "naïve"}}), "TXT-001",
		},
		"a deprecation that hides text": {
			yank, meta(review.Meta{Owners: []ledger.Owner{ada}, Deprecated: "use\u200bless"}),
			meta(review.Meta{Owners: []ledger.Owner{ada}, Deprecated: "useless"}), "TXT-001",
		},

		"rules by somebody":               {rules, from(bob), from(root), "GOV-001"},
		"by an owner of tools":            {rules, from(ada), all(from(ada), approve(root)), "GOV-001"},
		"by a login of a maintainer":      {rules, from(ledger.Owner{Login: "root", ID: 2}), all(from(bob), writer), "GOV-001"},
		"approved by nobody who may":      {rules, all(from(bob), approve(ada)), all(from(bob), approve(root)), "GOV-001"},
		"a registry.yaml that is none":    {rules, all(add(file("registry.yaml", "x")), func(x *scene) { x.c.ConfigErr = fmt.Errorf("x") }), add(file("registry.yaml", "x")), "GOV-009"},
		"registry.yaml removed":           {rules, add(changed("registry.yaml", review.Removed)), add(changed("docs/x", review.Removed)), "GOV-009"},
		"registry.yaml that was not read": {rules, add(review.Change{Path: "registry.yaml", Status: review.Modified, Mode: "100644"}), from(root), "GOV-009"},
	} {
		t.Run(name, func(t *testing.T) {
			errorsAre(t, c.of().with(c.attack).judge(), c.want)
			errorsAre(t, c.of().with(c.twin).judge(), "")
		})
	}
}

func revoked(x *scene) { x.b.Meta.Revoked = map[spec.Version]string{"0.9.0": "malware"} }

// TestFlood: a pull request of thousands of hostile paths has a review that a
// person can read, and it is a no.
func TestFlood(t *testing.T) {
	x := update()
	for i := range 5000 {
		x.with(add(file(fmt.Sprintf("tools/x%d", i), "x")))
	}
	r := x.judge()
	errorsAre(t, r, "GOV-002 GOV-003 GOV-999")
	if len(r.Findings) > 25 {
		t.Errorf("%d findings", len(r.Findings))
	}
}

// TestRulesTable: ids are told apart, and each rule says what to do.
func TestRulesTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range review.Rules() {
		if seen[r.ID] || r.What == "" || r.Why == "" || r.Fix == "" || r.Severity == "" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}
