package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

const key = "sk-secret-0123456789"

func configured(kind, address, model, key string) (Config, error) {
	env := map[string]string{EnvKind: kind, EnvURL: address, EnvModel: model, EnvKey: key}
	return Configured(func(k string) string { return env[k] })
}

// TestConfigured: a configuration is whole, none at all, or an error; never half.
func TestConfigured(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"openai", "https://api.openai.com/v1", "m", key},
		{"openai", "https://api.openai.com/v1/", "m", key},
		{"openai", "http://127.0.0.1:11434/v1", "llama3.1:8b", ""},
		{"openai", "http://[::1]:8080/v1", "org/model@sha256", ""},
		{"anthropic", "https://api.anthropic.com", "m", key},
	} {
		got, err := configured(c[0], c[1], c[2], c[3])
		if err != nil || got.None() || got.Address() != strings.TrimRight(c[1], "/") {
			t.Errorf("%v: %+v, %v", c, got, err)
		}
		for _, text := range []string{fmt.Sprint(got), fmt.Sprintf("%+v %#v", got, got), got.Address()} {
			if strings.Contains(text, key) {
				t.Errorf("the key is printed: %s", text)
			}
		}
		if data, err := json.Marshal(got); err != nil || strings.Contains(string(data), key) {
			t.Errorf("the key is written: %s, %v", data, err)
		}
	}
	for _, c := range [][4]string{{}, {"none"}, {"none", "https://api.openai.com/v1", "m", key}} {
		if got, err := configured(c[0], c[1], c[2], c[3]); err != nil || !got.None() {
			t.Errorf("%v: %+v, %v", c, got, err)
		}
	}
	if !(Config{}).None() || !(Config{Kind: "openAI"}).None() {
		t.Error("no configuration is one")
	}
	const ok = "https://model.example/v1"
	for _, c := range [][4]string{
		{"", ok, "m", key},
		{"", "", "", key},
		{"", "", "m", ""},
		{"OpenAI", ok, "m", key},
		{"ollama", ok, "m", key},
		{"None", "", "", ""},
		{"openai", "", "m", key},
		{"openai", ok, "", key},
		{"openai", "http://model.example/v1", "m", key},
		{"openai", "http://localhost:11434/v1", "m", ""},
		{"openai", "http://127.0.0.1.evil.example/v1", "m", ""},
		{"openai", "http://10.0.0.1/v1", "m", ""},
		{"openai", "ftp://model.example/v1", "m", key},
		{"openai", "file:///etc/passwd", "m", key},
		{"openai", "model.example/v1", "m", key},
		{"openai", "https://" + key + "@model.example/v1", "m", ""},
		{"openai", ok + "?key=" + key, "m", ""},
		{"openai", ok + "?", "m", ""},
		{"openai", ok + "#" + key, "m", ""},
		{"openai", ok + "#", "m", ""},
		{"openai", "https:", "m", key},
		{"openai", ok + " ", "m", key},
		{"openai", ok, "a model", key},
		{"openai", ok, "m\n", key},
		{"openai", ok, strings.Repeat("m", 201), key},
		{"openai", ok, "m", key + "\n"},
		{"openai", ok, "m", "a b"},
		{"openai", ok, "m", "kéy"},
		{"openai", ok, "m", strings.Repeat("k", 5000)},
	} {
		got, err := configured(c[0], c[1], c[2], c[3])
		if fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "judge_config" || len(fault.HintsOf(err)) == 0 {
			t.Errorf("%q: %+v, %v", c, got, err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%q: the key is in %v", c, err)
		}
	}
}
