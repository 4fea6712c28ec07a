package manifest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// whole is a definition with everything that the specified edition has.
const whole = `{
  "$schema": "https://example.com/worker-http/1.0/tool_definition.schema.json",
  "name": "SendEmail",
  "fully_qualified_name": "Gmail.SendEmail",
  "description": "Send an e-mail. Use it when somebody is to be told.",
  "toolkit": {"name": "Gmail", "description": "Mail", "version": "1.2.3"},
  "input": {"parameters": [
    {"name": "to", "required": true, "description": "Whom", "value_schema": {"val_type": "array", "inner_val_type": "string"}},
    {"name": "any", "required": false, "value_schema": {"val_type": "array", "inner_val_type": null}},
    {"name": "priority", "required": false, "value_schema": {"val_type": "integer", "enum": ["1", "2"]}, "inferrable": false},
    {"name": "headers", "required": false, "value_schema": {"val_type": "json", "enum": null}}
  ]},
  "output": {"available_modes": ["value", "error", "null", "artifact", "requires_authorization"], "description": "What was sent", "value_schema": {"val_type": "string", "inner_val_type": null}},
  "requirements": {"secrets": [{"key_id": "RELAY"}], "authorization": {"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}}
}`

func strictly(t *testing.T, text string) (*Document, []spec.Finding) {
	t.Helper()
	return Read("arcade.json", []byte(text), Strict)
}

func TestArcadeWhole(t *testing.T) {
	doc, findings := strictly(t, whole)
	if doc == nil || len(findings) > 0 {
		t.Fatalf("got %v", findings)
	}
	got := doc.Tool
	if got.Name != "gmail_send_email" || got.Version != "1.2.3" || got.Description != "Send an e-mail. Use it when somebody is to be told." ||
		!got.Capabilities.Network || got.Capabilities.Filesystem != spec.FilesystemNone {
		t.Errorf("got %+v", got)
	}
	p := got.Permissions()
	if !slices.Equal(p.ExternalAuth, []string{"google.https://mail/send"}) || !slices.Equal(p.Secrets, []string{"RELAY"}) {
		t.Errorf("got %+v", p)
	}
	op := got.Operations[0]
	if len(got.Operations) != 1 || op.Invocation.Kind != spec.InvokeArcade || op.Invocation.Tool != "Gmail.SendEmail" || op.Effects != spec.EffectsDestructive {
		t.Errorf("got %+v", op)
	}
	const input = `{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"},"description":"Whom"},"any":{"type":"array"},` +
		`"priority":{"type":"integer","enum":[1,2]},"headers":{"type":"object"}},"required":["to"],"additionalProperties":false}`
	if string(op.Input) != input {
		t.Errorf("got %s, want %s", op.Input, input)
	}
	if line, col := doc.Place("/toolkit/version"); line != 6 || col != 66 {
		t.Errorf("the version stands at %d:%d", line, col)
	}
	if a := got.Arcade; a.Edition != ArcadeSpecified || a.Parameters[2].Inferrable || !a.Parameters[0].Inferrable || a.Parameters[1].Value.Inner != "" {
		t.Errorf("got %+v", a)
	}
	again, _ := strictly(t, string(PrintArcade(got.Arcade)))
	if again == nil || !reflect.DeepEqual(again.Tool, got) {
		t.Errorf("printed and read again it is %+v", again)
	}
}

// Every row of the schema: one change that breaks it, by the word of the finding, and
// changes that do not.
func TestArcadeSchema(t *testing.T) {
	swap := func(old, now string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("nothing is %s", old)
		}
		return strings.Replace(whole, old, now, 1)
	}
	for row, c := range map[string]struct {
		text string
		want string // "" is accepted
	}{
		"AT-1 member":     {swap(`"name": "SendEmail"`, `"x_extra": 1, "name": "SendEmail"`), "x_extra"},
		"AT-1 case":       {swap(`"name": "SendEmail"`, `"Name": "SendEmail"`), "name"},
		"AT-1 no name":    {swap(`"name": "SendEmail",`, ``), "name"},
		"AT-1 no output":  {swap(`"output"`, `"$schema2"`), "output"},
		"AT-1 list":       {"[" + whole + "]", "definition"},
		"AT-2 type":       {swap(`"https://example.com/worker-http/1.0/tool_definition.schema.json"`, `1`), "$schema"},
		"AT-2 no uri":     {swap(`https://example.com/worker-http/1.0/tool_definition.schema.json`, `no uri`), ""},
		"AT-3":            {swap(`"SendEmail",`, `null,`), "name"},
		"AT-4":            {swap(`"Gmail.SendEmail"`, `["Gmail"]`), "fully_qualified_name"},
		"AT-5":            {swap(`"Send an e-mail. Use it when somebody is to be told."`, `null`), "description"},
		"AT-6":            {swap(`"version": "1.2.3"`, `"version": "1.2.3", "x": 1`), "toolkit"},
		"AT-6 no version": {swap(`, "version": "1.2.3"`, ``), "version"},
		"AT-9":            {swap(`"1.2.3"`, `1.2`), "version"},
		"AT-11 none": {swap(whole[strings.Index(whole, `[
    {"name": "to"`):strings.Index(whole, `]},
  "output"`)+1], `[]`), ""},
		"AT-12":              {swap(`"required": true, `, ``), "required"},
		"AT-14":              {swap(`"required": true`, `"required": "true"`), "required"},
		"AT-16 inner":        {swap(`, "inner_val_type": null`, ``), "inner_val_type"},
		"AT-16 other":        {swap(`"val_type": "json"`, `"val_type": "json", "properties": {}`), "properties"},
		"AT-18":              {swap(`"val_type": "json"`, `"val_type": "object"`), "val_type"},
		"AT-18 case":         {swap(`"val_type": "json"`, `"val_type": "JSON"`), "val_type"},
		"AT-21":              {swap(`"inner_val_type": "string"`, `"inner_val_type": "array"`), "inner_val_type"},
		"AT-22":              {swap(`"val_type": "string", "inner_val_type": null`, `"val_type": "string"`), ""},
		"AT-24":              {swap(`"enum": null`, `"enum": "x"`), "enum"},
		"AT-26":              {swap(`"enum": ["1", "2"]`, `"enum": [1]`), "enum"},
		"AT-27":              {swap(`"inferrable": false`, `"inferrable": null`), "inferrable"},
		"AT-29":              {swap(`["value", "error", "null", "artifact", "requires_authorization"]`, `[]`), "available_modes"},
		"AT-30":              {swap(`"artifact"`, `"file"`), "available_modes"},
		"AT-43":              {swap(`"requirements": {`, `"requirements": {"metadata": null, `), "metadata"},
		"AT-44":              {swap(`[{"key_id": "RELAY"}]`, `null`), ""},
		"AT-47":              {swap(`"key_id"`, `"key"`), "key"},
		"AT-48":              {swap(`"RELAY"`, `7`), "key_id"},
		"AT-50":              {swap(`{"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}`, `null`), ""},
		"AT-51 token":        {swap(`{"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}`, `"token"`), ""},
		"AT-51 other":        {swap(`{"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}`, `"oauth2"`), "authorization"},
		"AT-52":              {swap(`"provider_type": "oauth2", `, ``), "provider_type"},
		"AT-56":              {swap(`{"scopes": ["https://mail/send"]}`, `{}`), ""},
		"AT-57":              {swap(`["https://mail/send"]`, `"mail"`), "scopes"},
		"twice":              {swap(`"name": "SendEmail"`, `"name": "Look", "name": "SendEmail"`), "twice"},
		"C-22":               {swap(`"1.2.3"`, `"2024-01"`), "version"},
		"C-33 other tool":    {swap(`"Gmail.SendEmail"`, `"Bank.Pay"`), "Bank.Pay"},
		"C-33 case":          {swap(`"Gmail.SendEmail"`, `"GMAIL.sendemail"`), ""},
		"C-33 separator":     {swap(`"Gmail.SendEmail"`, `"Gmail__SendEmail"`), ""},
		"C-33 no separator":  {swap(`"Gmail.SendEmail"`, `"GmailSendEmail"`), "GmailSendEmail"},
		"C-33 version":       {swap(`"Gmail.SendEmail"`, `"Gmail.SendEmail@1.2.3"`), ""},
		"C-33 other version": {swap(`"Gmail.SendEmail"`, `"Gmail.SendEmail@1.2.4"`), "1.2.3"},
		"C-33 newer":         {swap(`worker-http/1.0`, `worker-http/2.0`), "worker-http 2.0"},
		"parameter twice":    {swap(`"name": "any"`, `"name": "to"`), "twice"},
		"parameter odd":      {swap(`"name": "any"`, `"name": "a b"`), "a b"},
		"parameter empty":    {swap(`"name": "any"`, `"name": ""`), "empty"},
		"AT-P5":              {swap(`"description": "Send an e-mail. Use it when somebody is to be told.",`, ``), ""},
	} {
		doc, findings := strictly(t, c.text)
		var said []string
		for _, f := range findings {
			if f.Severity == spec.SeverityError {
				said = append(said, f.Message)
				if f.Line < 1 || f.Col < 1 {
					t.Errorf("%s: %v has no place", row, f)
				}
			}
		}
		if ok := c.want == "" && len(said) == 0 && doc != nil || c.want != "" && strings.Contains(strings.Join(said, "\n"), c.want); !ok {
			t.Errorf("%s: got %q, want %q", row, said, c.want)
		}
	}
}

const sdk = `{"name":"Do","fully_qualified_name":"Kit.Do","description":"Do.","toolkit":{"name":"Kit","description":null,"version":null},
"input":{"parameters":[{"name":"a","required":true,"description":null,"value_schema":{"val_type":"json","inner_val_type":null,"enum":null,"properties":{"x":{"val_type":"string"}},"required_keys":["x"],"nullable":true},"inferrable":true}]},
"output":{"description":null,"available_modes":["value"],"value_schema":null},"requirements":{"authorization":null,"secrets":[{"key":"K"}],"metadata":[{"key":"client_id"}]},
"deprecation_message":"old","metadata":{"classification":{"service_domains":["crm"]},"behavior":{"operations":["read"],"read_only":true,"destructive":false,"idempotent":true,"open_world":true},"extras":{"a":1}}}`

func TestArcadeEditions(t *testing.T) {
	for name, c := range map[string]struct{ text, edition string }{
		"specified":        {whole, ArcadeSpecified},
		"sdk":              {sdk, ArcadeSDK},
		"preview key":      {strings.Replace(whole, `"key_id"`, `"key"`, 1), ArcadePreview},
		"preview metadata": {strings.Replace(whole, `"requirements": {`, `"requirements": {"metadata": [{"key": "client_id"}], `, 1), ArcadePreview},
		"sdk null":         {strings.Replace(whole, `"Mail"`, `null`, 1), ArcadeSDK},
		"engine":           {strings.Replace(whole, `"name": "SendEmail"`, `"qualified_name": "Gmail.SendEmail", "name": "SendEmail"`, 1), ArcadeEngine},
		"engine met":       {strings.Replace(whole, `"requirements": {`, `"requirements": {"met": true, `, 1), ArcadeEngine},
		"engine object":    {strings.Replace(whole, `"val_type": "json"`, `"val_type": "object"`, 1), ArcadeEngine},
		"engine list":      {strings.NewReplacer(`"authorization": {`, `"authorization": [{`, `]}}}`, `]}}]}`).Replace(whole), ArcadeEngine},
		"docs": {`{"name":"Do","qualifiedName":"Kit.Do","fullyQualifiedName":"Kit.Do@1.0.0","description":"d","parameters":[{"name":"a","type":"array","innerType":"string","required":true,"description":"x","enum":null,"inferrable":true}],
			"auth":{"providerId":"google","providerType":"oauth2","scopes":["s"]},"secrets":["K"],"output":{"type":"json","description":"o"}}`, ArcadeDocs},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := ReadArcade("x.json", []byte(c.text))
			if err != nil || len(all) != 1 || all[0].Arcade == nil {
				t.Fatalf("got %+v, %v", all, err)
			}
			d := all[0]
			if d.Arcade.Edition != c.edition || spec.Blocking(d.Findings) {
				t.Errorf("got %s: %v", d.Arcade.Edition, d.Findings)
			}
			if d.Tool.Version == "" {
				d.SetVersion("0.1.0")
			}
			data, findings := d.Publishable()
			if spec.Blocking(findings) {
				t.Fatalf("cannot be published: %v\n%s", findings, data)
			}
			doc, _ := strictly(t, string(data))
			want := *d.Arcade
			want.Edition, want.Behavior, want.Deprecation = ArcadeSpecified, nil, ""
			if !reflect.DeepEqual(doc.Tool.Arcade, &want) {
				t.Errorf("got %+v, want %+v", doc.Tool.Arcade, want)
			}
			// Strictly it is refused by its name.
			doc, findings = strictly(t, c.text)
			refused := spec.Blocking(findings) && strings.Contains(listing(doc, findings), "MAN-911")
			if refused == (c.edition == ArcadeSpecified) {
				t.Errorf("strictly it is %v", findings)
			}
		})
	}
	all, _ := ReadArcade("x.json", []byte(sdk))
	var paths []string
	for _, l := range all[0].Losses {
		paths = append(paths, l.Path)
	}
	const want = "/input/parameters/0/value_schema/properties /input/parameters/0/value_schema/required_keys /input/parameters/0/value_schema/nullable " +
		"/requirements/metadata /deprecation_message /metadata/classification /metadata/behavior /metadata/extras"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("lost is %s, want %s", got, want)
	}
	if op := all[0].Tool.Operations[0]; op.Effects != spec.EffectsRead || !op.Idempotent {
		t.Errorf("got %+v", op)
	}
}

func TestArcadeNames(t *testing.T) {
	for _, c := range []struct{ toolkit, tool, want string }{
		{"Github", "CreateIssue", "github_create_issue"},
		{"GithubApi", "GetHTTPServer", "github_api_get_http_server"},
		{"X", "PostTweet", "x_post_tweet"},
		{"Math", "Add", "math_add"},
		{"OAuth2", "Login", "o_auth2_login"},
		{"E2b", "RunCode3D", "e2b_run_code3_d"},
		{"my-kit", "do_it.now", "my_kit_do_it_now"},
		{"patch", "csv_to_json", "csv_to_json"},
		{"Patch", "Do", ""},
		{"Patches", "do", "patches_do"},
		{"3Scale", "Do", ""},
		{"", "Do", ""},
		{"Kit", "---", ""},
		{"Kit", "Größe", "kit_gr_e_"},
		{"GithubApi", "ActionsAddCustomLabelsToSelfHostedRunnerForOrg", "github_api_actions_add_custom_labels_to_"},
	} {
		name, digest, err := ArcadeName(c.toolkit, c.tool)
		if digest && err == nil {
			if !strings.HasPrefix(string(name), c.want) || len(name) > 48 {
				t.Errorf("%s.%s is %s", c.toolkit, c.tool, name)
			}
			continue
		}
		if string(name) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s.%s is %s, %v", c.toolkit, c.tool, name, err)
		}
	}
	// Names that are cut, or have letters that no name has, stay different.
	seen := map[spec.Name]string{}
	for _, tool := range []string{"Größe", "Gräße", "Gr e", "Gr_E", "Gr!E", strings.Repeat("Long", 20), strings.Repeat("Long", 21)} {
		name, _, err := ArcadeName("Kit", tool)
		if other, ok := seen[name]; ok || err != nil {
			t.Errorf("%s and %s are both %s: %v", other, tool, name, err)
		}
		seen[name] = tool
	}
	if !SameArcade("Github.Do@1.0.0", "github.do") || SameArcade("Github.Do@1.0.0", "Github.Do@1.0.1") || SameArcade("A.b", "A.c") {
		t.Error("qualified names are compared wrongly")
	}
}

func TestArcadeValues(t *testing.T) {
	for _, c := range []struct {
		value  spec.ArcadeValue
		schema string
		lost   string // paths there
		back   string // paths back
	}{
		{spec.ArcadeValue{Type: "string"}, `{"type":"string"}`, "", ""},
		{spec.ArcadeValue{Type: "string", Enum: []string{"a", `"`}}, `{"type":"string","enum":["a","\""]}`, "", ""},
		{spec.ArcadeValue{Type: "integer", Enum: []string{"1", "-2", "1.0"}}, `{"type":"integer","enum":[1,-2,1.0]}`, "/enum", "/enum"},
		{spec.ArcadeValue{Type: "number", Enum: []string{"1e3", "0.5"}}, `{"type":"number","enum":[1e3,0.5]}`, "/enum", "/enum"},
		{spec.ArcadeValue{Type: "boolean", Enum: []string{"true"}}, `{"type":"boolean","enum":[true]}`, "/enum", "/enum"},
		{spec.ArcadeValue{Type: "json"}, `{"type":"object"}`, "/val_type", ""},
		{spec.ArcadeValue{Type: "array"}, `{"type":"array"}`, "", ""},
		{spec.ArcadeValue{Type: "array", Inner: "integer", Enum: []string{"7"}}, `{"type":"array","items":{"type":"integer","enum":[7]}}`, "/enum", "/items/enum"},
		{spec.ArcadeValue{Type: "array", Inner: "json"}, `{"type":"array","items":{"type":"object"}}`, "", ""},
	} {
		schema, losses := ArcadeValue(&c.value)
		if string(schema) != c.schema || lossPaths(losses) != c.lost {
			t.Errorf("%+v is %s, lost %s", c.value, schema, lossPaths(losses))
		}
		back, losses, err := ArcadeValueOf(schema)
		if err != nil || !reflect.DeepEqual(back, c.value) || lossPaths(losses) != c.back {
			t.Errorf("%s is %+v, lost %s, %v", schema, back, lossPaths(losses), err)
		}
	}
	if schema, losses := ArcadeValue(&spec.ArcadeValue{Type: "integer", Enum: []string{"one", "01", "2"}}); string(schema) != `{"type":"integer","enum":[2]}` || lossPaths(losses) != "/enum/0 /enum/1 /enum" {
		t.Errorf("got %s, %v", schema, losses)
	}
	for _, c := range []struct{ schema, want, lost string }{
		{`true`, "json", ""},
		{`{}`, "json", ""},
		{`{"type":["string","null"]}`, "string", "/type"},
		{`{"type":["string","integer"]}`, "json", ""},
		{`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, "array", "/items"},
		{`{"type":"string","format":"uri","pattern":"a","minLength":1}`, "string", "/format /pattern /minLength"},
		{`{"const":"a","type":"string"}`, "string", ""},
		{`{"enum":["a",null,{}],"type":"string"}`, "string", "/enum/1 /enum/2"},
		{`{"type":"object","properties":{"a":{}}}`, "json", "/properties"},
	} {
		v, losses, err := ArcadeValueOf(json.RawMessage(c.schema))
		if err != nil || v.Type != c.want || strings.Trim(lossPaths(losses), " ") != c.lost {
			t.Errorf("%s is %+v, lost %q, %v", c.schema, v, lossPaths(losses), err)
		}
	}
}

func lossPaths(losses []Loss) string {
	var paths []string
	for _, l := range losses {
		paths = append(paths, l.Path)
	}
	return strings.Join(paths, " ")
}

func TestArcadeParametersBack(t *testing.T) {
	doc, _ := strictly(t, whole)
	schema, losses := ArcadeInput(doc.Tool.Arcade)
	if got := lossPaths(losses); got != "/input/parameters/2/value_schema/enum /input/parameters/2/inferrable /input/parameters/3/value_schema/val_type" {
		t.Errorf("lost is %s", got)
	}
	back, losses, err := ArcadeParameters(schema)
	want := slices.Clone(doc.Tool.Arcade.Parameters)
	want[2].Inferrable = true
	if err != nil || !reflect.DeepEqual(back, want) || lossPaths(losses) != "/properties/priority/enum" {
		t.Errorf("got %+v, %v, %v", back, losses, err)
	}
	if out, _ := ArcadeOutput(doc.Tool.Arcade); string(out) != `{"type":"object","properties":{"result":{"type":"string","description":"What was sent"}},"required":["result"]}` {
		t.Errorf("got %s", out)
	}
	for _, bad := range []string{`[]`, `{"type":"array"}`, `{`, `{"type":"object","type":"object"}`} {
		if _, _, err := ArcadeParameters(json.RawMessage(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	_, losses, _ = ArcadeParameters(json.RawMessage(`{"type":"object","properties":{},"required":["gone"],"additionalProperties":true,"minProperties":1}`))
	if got := lossPaths(losses); got != "/additionalProperties /minProperties /required" {
		t.Errorf("lost is %s", got)
	}
}

func TestArcadeFiles(t *testing.T) {
	one := strings.ReplaceAll(whole, "\n", " ")
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"one":      {"\n" + whole + "\n", []int{2}},
		"lines":    {one + "\n\n" + one + "\n", []int{1, 3}},
		"array":    {"[\n" + one + ",\n" + one + "]", []int{2, 3}},
		"page":     {"{\"total\": 2, \"items\": [\n" + one + ", " + one + "]}", []int{2, 2}},
		"map":      {"{\"a\":" + one + ",\n\"b\":" + one + "}", []int{1, 2}},
		"brackets": {strings.Replace(one, "Whom", `]}{[\"\\`, 1), []int{1}},
	} {
		all, err := ReadArcade("x", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var lines []int
		for _, d := range all {
			lines = append(lines, d.Line)
			if d.Arcade == nil || spec.Blocking(d.Findings) {
				t.Errorf("%s: %v", name, d.Findings)
			}
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("%s begins at %v, want %v", name, lines, c.lines)
		}
	}
	for _, text := range []string{"", " ", "{}", "[]", "1", `"x"`, "null", "{", "[1", `{"a":"`, `{"name":"x"}`, "}", "]", `[{]`, `{"a" 1}`, `{:}`} {
		if all, err := ReadArcade("x", []byte(text)); err == nil && !slices.ContainsFunc(all, func(d ArcadeDefinition) bool { return spec.Blocking(d.Findings) }) {
			t.Errorf("%q is taken: %+v", text, all)
		}
	}
	// One that cannot be read keeps no other from being read.
	all, err := ReadArcade("x", []byte(`{"input": 1} `+one))
	if err != nil || len(all) != 2 || all[0].Arcade != nil || all[1].Arcade == nil {
		t.Errorf("got %+v, %v", all, err)
	}
}
