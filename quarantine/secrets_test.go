package quarantine

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// The secrets of these tests are made of parts, opened nothing ever, and stand
// whole nowhere in the repository, so that no scanner of it stops at them.
var (
	mixed36  = "k3J9xQ2mZ7pL5vB8nR4tY6wC1dF0gH" + "2s4VbN"
	github   = "gh" + "p_" + mixed36                                              // its checksum is wrong
	githubOK = "gh" + "p_" + mixed36[:30] + "1mEV" + "tN"                         // its checksum is right
	aws      = "AK" + "IA" + "Q3ZT7WYHN2LMVK4D"                                   //
	openai   = "sk-" + "proj-" + strings.Repeat("aB3dE6gH9j", 6)                  //
	slack    = "xo" + "xb-" + "2847561930-4857201938-k3J9xQ2mZ7pL5vB8nR4tY6wC"    //
	telegram = "7" + "48392015:A" + "A" + "k3J9xQ2mZ7pL5vB8nR4tY6wC1dF0gH2s4"     //
	discord  = base64.RawStdEncoding.EncodeToString([]byte("184739201847392018")) //
	bot      = discord + ".Gk3J9x." + "k3J9xQ2mZ7pL5vB8nR4tY6wC1dF0gH2s4VbN"
	drawn    = "k3J9xQ2mZ7" + "pL5vB8nR4tY6wC1d"
	jwt      = part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"k3J9xQ2mZ7"}`) + "." + "k3J9xQ2mZ7pL5vB8nR4tY6wC1dF0gH2s4VbN"
	pemBody  = strings.Repeat("k3J9xQ2mZ7pL5vB8nR4tY6wC1dF0gH2s4VbNu8E+/aT5qW1zX3cV6bM9hU0iO7yP\n", 4)
	pemHead  = "-----BEGIN RSA " + "PRIVATE KEY-----"
)

func part(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// TestFindSecrets: what is found and, in the next column, what differs from it in
// one point and is none.
func TestFindSecrets(t *testing.T) {
	for _, tc := range []struct{ what, hit, miss string }{
		{"a GitHub token", "x = '" + github + "'", "x = '" + github[:39] + "'"},
		{"a GitHub token", "see " + github + ".", "see x" + github + "."},
		{"a GitHub token", github, "gh" + "p_" + strings.Repeat("x", 36)},
		{"an AWS key id", "id: " + aws, "id: AK" + "IAIOSFODNN7EXAMPLE"},
		{"an AWS key id", aws, aws + "A"},
		{"an OpenAI key", `key="` + openai + `"`, `key="sk-` + `proj-your-key-goes-right-here-your-key-goes-right-here"`},
		{"a Slack token", slack, "xo" + "xb-your-token"},
		{"a Telegram bot token", "x " + telegram, "x " + telegram[:40]},
		{"a Telegram bot token", `f"https://api.telegram.org/bot` + "/" + telegram + `/send"`, `f"https://api.telegram.org/bot/{token}/send"`},
		{"a Discord bot token", bot, "MODULE_NAME_OF_LENGTH_24.option.value_of_the_option_in_words_1"},
		{"a Discord webhook", "https://discord.com/api/webhooks/184739201847392018/" + drawn + drawn + drawn, "https://discord.com/api/webhooks/<id>/<token>"},
		{"a JSON Web Token", "t = '" + jwt + "'", "t = '" + jwt[:len(jwt)-20] + "'"},
		{"a JSON Web Token", jwt, part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"1234567890","name":"John Doe","iat":1516239022}`) + "." + drawn},
		{"a JSON Web Token", jwt, part(`{"alg":"none","typ":"JWT"}`) + "." + part(`{"sub":"k3J9xQ2mZ7"}`) + "." + drawn},
		{"a JSON Web Token", base64.StdEncoding.EncodeToString([]byte(jwt)), base64.StdEncoding.EncodeToString([]byte(jwt[:30]))},
		{"a private key", pemHead + "\n" + pemBody, "if text.startswith('" + pemHead + "'):"},
		{"a private key", `key = "` + pemHead + `\n` + strings.ReplaceAll(pemBody, "\n", `\n`), pemHead + "\n" + strings.Repeat("x", 128)},
		{"a private key", pemHead + "\n    " + strings.ReplaceAll(pemBody, "\n", "\n    "), strings.Replace(pemHead, "PRIVATE", "PUBLIC", 1) + "\n" + pemBody},
		{"an address with a password", "db = 'postgres://app:Zk39xQ2m@db.acme-corp.io/x'", "db = 'postgres://app:password@db.acme-corp.io/x'"},
		{"an address with a password", "mongodb+srv://u:Zk39xQ2m@c1.acme-corp.net", "mongodb+srv://u:Zk39xQ2m@localhost:27017"},
		{"an address with a password", "https://u:Zk39xQ2m@acme-corp.io/a", "https://u:{password}@acme-corp.io/a"},
		{"an address with a password", "https://u:Zk39xQ2m@acme-corp.io/a", "https://acme-corp.io/a:Zk39xQ2m@b"},
		{"a value drawn by lot under the name of a secret", "API_KEY = '" + drawn + "'", "API_KEY = os.environ['SERVICE_API_KEY_2024']"},
		{"a value drawn by lot under the name of a secret", `{"client_secret": "` + drawn + `"}`, `{"client_secret": "your-client-secret-123"}`},
		{"a value drawn by lot under the name of a secret", "api_key: str = \"" + drawn + "\"", "api_key: str = \"my_service_api_key_v2\""},
		{"a value drawn by lot under the name of a secret", "AUTH_TOKEN=" + drawn + "\n", "AUTH_TOKEN=$AUTH_TOKEN_2024_01\n"},
		{"a value drawn by lot under the name of a secret", `headers = {"Authorization": "Bearer ` + drawn + `"}`, `headers = {"Authorization": f"Bearer {token_2024}"}`},
		{"a value drawn by lot under the name of a secret", "PASSWORD = (\n    '" + drawn + "')", "HEADLINE = (\n    '" + drawn + "')"},
		{"a value drawn by lot under the name of a secret", "secret = '" + drawn + "'", "secret_sha256 = '" + drawn + "'"},
		{"a value drawn by lot under the name of a secret", "airtable = '" + drawn + "'", "air_table = '" + drawn + "'"},
	} {
		found := findSecrets(tc.hit)
		if len(found) != 1 || found[0].what != tc.what {
			t.Errorf("%.60q: got %+v, want %s", tc.hit, found, tc.what)
		}
		if found := findSecrets(tc.miss); len(found) > 0 {
			t.Errorf("near miss %.60q: got %+v", tc.miss, found)
		}
	}
}

// TestChecksum: a token whose own checksum is wrong was never given out.
func TestChecksum(t *testing.T) {
	for token, doubtful := range map[string]bool{github: true, githubOK: false, "np" + "m_" + githubOK[4:]: false, "np" + "m_" + mixed36: true} {
		if found := findSecrets(token); len(found) != 1 || found[0].doubtful != doubtful {
			t.Errorf("%s: got %+v, doubtful %v wanted", token, found, doubtful)
		}
	}
}

// TestSplitSecrets: a token in two strings side by side is as public as in one.
func TestSplitSecrets(t *testing.T) {
	for _, source := range []string{
		"x = '" + openai[:20] + "' + '" + openai[20:] + "'",
		"x = \"" + openai[:20] + "\" \"" + openai[20:] + "\"",
		"x = ('" + openai[:20] + "'\n     \"" + openai[20:] + "\")",
		"x = '" + openai[:20] + "' \\\n  + '" + openai[20:] + "'",
		"x = '" + openai[:3] + "' + '" + openai[3:12] + "' + '" + openai[12:40] + "' + '" + openai[40:] + "'",
	} {
		found := findSplit("import os\n\n" + source + "\ny = 1\n")
		if len(found) != 1 || found[0].text != openai {
			t.Errorf("%q: got %+v", source, found)
			continue
		}
		if at := strings.Index("import os\n\n"+source, openai[:3]); found[0].from != at {
			t.Errorf("%q: got offset %d, want %d", source, found[0].from, at)
		}
	}
	for _, source := range []string{
		"x = '" + openai[:20] + "', '" + openai[20:] + "'",         // two values
		"x = '" + openai[:20] + "' + tail + '" + openai[20:] + "'", // not constant
		"x = '" + openai + "'",                                     // not split, and found otherwise
		"x = ''", "'", `"""text"""`,
	} {
		if found := findSplit(source); len(found) > 0 {
			t.Errorf("%q: got %+v", source, found)
		}
	}
}

func TestSecrets(t *testing.T) {
	line := func(text string) func(*Subject) { return source("import json\n", "import json\nKEY = "+text+"\n") }
	runTwins(t, []twin{
		{"in the main file", line("'" + openai + "'"), "SEC-001 error", line("os.environ['OPENAI_API_KEY']")},
		{"in two strings", line("'" + openai[:30] + "' + '" + openai[30:] + "'"), "SEC-001 error", line("'" + openai[:30] + "'")},
		{"wrong checksum", line("'" + github + "'"), "SEC-001 warning", line("'" + github[:20] + "'")},
		{"in another file", addFile("README.md", "Use "+slack+" to try.\n"), "SEC-001 error", addFile("README.md", "Use your token to try.\n")},
		{
			"in the manifest alone, behind its escapes", func(s *Subject) { s.Release.Tool.Inputs[0].Default = json.RawMessage(`"` + openai + `"`) }, "SEC-001 error",
			func(s *Subject) { s.Release.Tool.Inputs[0].Default = json.RawMessage(`"sk-proj-x"`) },
		},
		{
			"in an extension", func(s *Subject) {
				s.Release.Tool.Extensions = map[string]json.RawMessage{"x-a": json.RawMessage(`{"k":["` + openai + `"]}`)}
			}, "SEC-001 error",
			func(s *Subject) {
				s.Release.Tool.Extensions = map[string]json.RawMessage{"x-a": json.RawMessage(`{"k":["v"]}`)}
			},
		},
		{"the same twice in a file", line("'" + openai + "', '" + openai + "'"), "SEC-001 error", nil},
	})
}

// TestSecretIsNotRepeated: reports are public, so they show how a secret begins,
// where it stands, and nothing else of it.
func TestSecretIsNotRepeated(t *testing.T) {
	for _, text := range []string{openai, slack, telegram, bot, jwt, drawn, "https://u:Zk39xQ2m@acme-corp.io", pemHead + "\n" + pemBody} {
		s := valid(t)
		source("import json\n", "import json\nAPI_KEY = '''"+text+"'''\n")(&s)
		addFile("README.md", "API_KEY = '"+text+"'\n")(&s)
		r := Check(t.Context(), s)
		count := 0
		for _, f := range r.Findings {
			if f.ID == "SEC-001" {
				count++
			}
			for i := 0; i+8 <= len(text); i++ {
				if strings.Contains(f.Message+f.Fix, text[i:i+8]) && !strings.Contains(pemHead, text[i:i+8]) {
					t.Errorf("the finding %q repeats %q", f.Message, text[i:i+8])
					break
				}
			}
		}
		if count != 2 {
			t.Errorf("%.20s…: %d findings, want one a file", text, count)
		}
	}
}

// TestSecretPlace holds line and column, also behind strings that were joined.
func TestSecretPlace(t *testing.T) {
	s := valid(t)
	s.Release.Files[0].Data = append(s.Release.Files[0].Data, []byte("A = 'a' 'b'\nK = '"+openai[:9]+"' '"+openai[9:]+"'\nL = '"+slack+"'\n")...)
	var places []string
	for _, f := range Check(t.Context(), s).Findings {
		places = append(places, strings.Split(f.String(), ": ")[0])
	}
	lines := strings.Count(validSource, "\n")
	want := []int{lines + 2, lines + 3}
	if len(places) != 2 {
		t.Fatalf("got %q", places)
	}
	for i, p := range places {
		if !strings.HasPrefix(p, "tool.py:"+jsonInt(want[i])+":6") {
			t.Errorf("got %s, want line %d", p, want[i])
		}
	}
}

func jsonInt(n int) string { b, _ := json.Marshal(n); return string(b) }

// TestShapesAreWellFormed holds secrets.txt to the grammar in its head.
func TestShapesAreWellFormed(t *testing.T) {
	seen, n := map[string]bool{}, 0
	for line := range strings.Lines(shapesText) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		what, list, ok := strings.Cut(line, " = ")
		for one := range strings.SplitSeq(list, ", ") {
			words := strings.Fields(one)
			if !ok || what == "" || len(words) != 3 || alphabetOf(words[1]) == 0 || strings.Trim(strings.TrimSuffix(words[2], "+"), "0123456789") != "" {
				t.Errorf("secrets.txt:%d: %q", n, one)
				continue
			}
			if key := words[0] + words[1] + words[2]; seen[key] {
				t.Errorf("secrets.txt:%d: %q stands twice", n, words[0])
			} else {
				seen[key] = true
			}
		}
	}
	count := 0
	for _, list := range shapes() {
		count += len(list)
	}
	if count != len(seen) || count < 150 {
		t.Errorf("%d of %d shapes are read", count, len(seen))
	}
}

func FuzzFindSecrets(f *testing.F) {
	for _, s := range []string{openai, slack, jwt, bot, telegram, pemHead + pemBody, pemHead + pemBody + "-----END x-----" + pemHead, "http://a:b@c.d", "token='" + drawn + "'", "'a' + 'b'", "ey", "pat", "\x00\xff", "a=(", "ZXlK"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range findSecrets(text) {
			if s.from < 0 || s.from >= len(text) || s.text == "" || s.what == "" {
				t.Errorf("%q: got %+v", text, s)
			}
		}
		last := 0
		for _, l := range Leaks(text) {
			if l.From < last || l.To <= l.From || l.To > len(text) {
				t.Errorf("%q: got %+v after %d", text, l, last)
			}
			last = l.To
		}
		joined, offsets := unsplit(text)
		if len(joined) > len(text) {
			t.Errorf("%q: joined is longer", text)
		}
		for _, o := range offsets {
			if o[0] > len(joined) || o[1] > len(text) {
				t.Errorf("%q: offsets %v", text, offsets)
			}
		}
		subject := valid(t)
		subject.Release.Files[0].Data = []byte(text)
		Check(t.Context(), subject)
	})
}
