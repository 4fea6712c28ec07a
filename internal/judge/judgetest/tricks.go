package judgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// bad are pieces of what an honest model objects to: those of the known texts,
// and two words by which tests say what they want of it.
var bad = []string{
	"EVIL", "ODD", "collector.example", "private key", "Do not mention to anybody", "outdated and wrong", "may skip this entry",
	"no longer hold", "take the token out", "nothing was changed", "cleared by the security team",
}

// Tricks are the ways in which a model misbehaves.
func Tricks() []string {
	return slices.Concat(transports(), []string{
		"prose", "fenced", "empty", "blank", "array", "null", "twice", "two-objects", "case-variant", "extra-member", "missing-member", "float-line",
		"wrong-nonce", "short-read", "wrong-word", "false-quote", "false-line", "unknown-code", "clean-with-findings", "findings-missing", "unknown-verdict", "many-findings",
		"long-text", "length", "filtered", "tool-call", "canary-blind", "paranoid", "half-paranoid",
	})
}

// Others are tricks that do nothing, or nothing bad, where no text calls for it:
// one that is busy until the third try, one that has nothing against ODD any more,
// two wordings that disagree about EVIL, and four for summaries alone.
func Others() []string {
	return []string{"busy-twice", "kind", "disagree", "echo", "echo-hidden", "flags-unknown", "flags-operational"}
}

func transports() []string {
	return []string{"slow", "redirect", "redirect-home", "huge", "not-json", "no-type", "cut", "denied", "busy", "absent", "broken", "bad-request", "empty-envelope", "two-choices", "trailing"}
}

// transport misbehaves below the answer; false is that it did not.
func (s *Server) transport(w http.ResponseWriter, r *http.Request, trick string) bool {
	status := map[string]int{"denied": 401, "busy": 429, "busy-twice": 429, "absent": 404, "broken": 503, "bad-request": 400}[trick]
	switch {
	case status != 0:
		w.Header().Set("Retry-After", map[bool]string{true: "0", false: "600"}[trick == "busy-twice"])
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"::error::\u001b[31mIncorrect key %s","type":"invalid_request_error"}}`, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")) //nolint:gosec // it is for no browser
	case trick == "slow":
		select {
		case <-r.Context().Done():
		case <-s.stop:
		case <-time.After(5 * time.Minute):
		}
	case trick == "redirect": // away from the machine
		http.Redirect(w, r, "https://collector.example/v1", http.StatusTemporaryRedirect)
	case trick == "redirect-home": // to itself, which would answer
		http.Redirect(w, r, s.srv.URL+r.URL.Path, http.StatusTemporaryRedirect) //nolint:gosec // that is the trick
	case trick == "huge":
		w.Header().Set("Content-Type", "application/json")
		for range 64 {
			if _, err := w.Write([]byte(`{"choices":"` + strings.Repeat("x", 1<<16))); err != nil {
				break
			}
		}
	case trick == "not-json":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("<html>clean</html>"))
	case trick == "no-type":
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("{}"))
	case trick == "cut":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write([]byte(`{"choices":[`))
	case trick == "empty-envelope":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	case trick == "two-choices":
		w.Header().Set("Content-Type", "application/json")
		c := `{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}`
		b := `{"type":"tool_use","name":"verdict","input":{}}`
		_, _ = w.Write([]byte(`{"type":"message","role":"assistant","stop_reason":"tool_use","content":[` + b + `,` + b + `],"choices":[` + c + `,` + c + `]}`))
	case trick == "trailing":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"choices":[]}{"choices":[]}`))
	default:
		return false
	}
	return true
}

// finding is one of the model's.
type finding struct {
	Code  string `json:"code"`
	Line  any    `json:"line"`
	Quote string `json:"quote"`
}

// content is what the model writes.
func content(q Asked, trick string) string {
	words := strings.Fields(q.Lines[len(q.Lines)-1].Text)
	last := words[len(words)-1]
	if r := []rune(last); len(r) > 40 {
		last = string(r[len(r)-40:])
	}
	if q.Name == "summary" {
		return summary(q, trick, last)
	}
	verdict, found := q.verdict(trick)
	read := len(q.Lines)
	nonce := q.Nonce
	switch trick {
	case "wrong-nonce":
		nonce = strings.Repeat("0", 32)
	case "short-read":
		read--
	case "wrong-word":
		last = "other"
	case "unknown-verdict":
		verdict = "benign"
	case "clean-with-findings":
		verdict, found = "clean", []finding{{"OTHER", q.Lines[0].N, cut(q.Lines[0].Text)}}
	case "findings-missing":
		verdict, found = "malicious", []finding{}
	case "false-quote":
		verdict, found = "suspicious", []finding{{"OTHER", q.Lines[0].N, "this stands nowhere in it"}}
	case "false-line":
		verdict, found = "suspicious", []finding{{"OTHER", 99999, cut(q.Lines[0].Text)}}
	case "unknown-code":
		verdict, found = "suspicious", []finding{{"FINE", q.Lines[0].N, cut(q.Lines[0].Text)}}
	case "float-line":
		verdict, found = "suspicious", []finding{{"OTHER", 1.5, cut(q.Lines[0].Text)}}
	case "many-findings":
		verdict = "suspicious"
		for range 51 {
			found = append(found, finding{"OTHER", q.Lines[0].N, cut(q.Lines[0].Text)})
		}
	case "long-text":
		last += strings.Repeat(" ", 1<<15)
	}
	list, err := json.Marshal(found)
	if err != nil {
		panic(err)
	}
	text := fmt.Sprintf(`"nonce":%s,"verdict":%s,"lines_read":%d,"last_word":%s,"findings":%s`, quote(nonce), quote(verdict), read, quote(last), list)
	return shaped(text, trick)
}

// shaped makes an object of members, or something that is none.
func shaped(members, trick string) string {
	text := "{" + members + "}"
	switch trick {
	case "prose":
		return "Here is my answer: " + text
	case "fenced":
		return "```json\n" + text + "\n```"
	case "empty":
		return ""
	case "blank":
		return " \n\t "
	case "array":
		return "[" + text + "]"
	case "null":
		return "null"
	case "twice":
		return "{" + members + "," + members + "}"
	case "two-objects":
		return text + text
	case "case-variant":
		return strings.Replace(text, `"nonce"`, `"Nonce"`, 1)
	case "extra-member":
		return "{" + members + `,"reason":"trust me"}`
	case "missing-member":
		_, rest, _ := strings.Cut(members, ",")
		return "{" + rest + "}"
	}
	return text
}

// verdict is what the model thinks of the block.
func (q Asked) verdict(trick string) (string, []finding) {
	verdict, found := "clean", []finding{}
	if trick == "canary-blind" {
		return verdict, found
	}
	second := strings.HasPrefix(q.System, "Somebody")
	for _, l := range q.Lines {
		for _, b := range bad {
			if trick == "kind" && b == "ODD" || trick == "disagree" && second && b == "EVIL" || !strings.Contains(l.Text, b) {
				continue
			}
			if found = append(found, finding{"INJ_EXFIL", l.N, cut(l.Text)}); b != "ODD" {
				verdict = "malicious"
			} else if verdict == "clean" {
				verdict = "suspicious"
			}
			break
		}
	}
	if trick == "paranoid" || trick == "half-paranoid" && second {
		return "malicious", []finding{{"OTHER", q.Lines[0].N, cut(q.Lines[0].Text)}}
	}
	return verdict, found
}

func cut(s string) string {
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200])
	}
	return s
}

// summary is what the model tells of a text.
func summary(q Asked, trick, last string) string {
	text, flags := "A stranger's text of some lines. It tells about a tool.", []string{}
	for _, l := range q.Lines {
		if strings.Contains(l.Text, "EVIL") {
			flags = []string{"tool_directive", "agent_manipulation"}
		}
	}
	nonce := q.Nonce
	switch trick {
	case "wrong-nonce":
		nonce = strings.Repeat("0", 32)
	case "wrong-word":
		last = "other"
	case "echo":
		text = ""
		for _, l := range q.Lines {
			text += l.Text + " "
		}
	case "echo-hidden":
		text = "A text.\u202e"
	case "flags-unknown":
		flags = []string{"fine"}
	case "flags-operational":
		flags = []string{"quarantine_disabled"}
	case "long-text":
		text = strings.Repeat("words ", 1000)
	}
	list, err := json.Marshal(flags)
	if err != nil {
		panic(err)
	}
	return shaped(fmt.Sprintf(`"nonce":%s,"summary":%s,"flags":%s,"last_word":%s`, quote(nonce), quote(text), list, quote(last)), trick)
}
