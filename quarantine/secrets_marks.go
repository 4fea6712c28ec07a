package quarantine

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// privateKeyAt finds a private key in PEM or OpenPGP's armour. The line that
// begins one is no key: programs look for it. What follows must be the data,
// with whatever line ends its place asks for.
func privateKeyAt(text string, i int) (secret, int) {
	const begin, most = "-----BEGIN ", 120
	if text[i] != '-' || !strings.HasPrefix(text[i:], begin) {
		return secret{}, 0
	}
	head := text[i:min(i+most, len(text))]
	end := strings.Index(head, "PRIVATE KEY")
	if end < 0 {
		return secret{}, 0
	}
	rest := text[i+end : min(i+end+8000, len(text))]
	_, rest, ok := strings.Cut(rest, "-----")
	if !ok {
		return secret{}, 0
	}
	body := make([]byte, 0, 128)
	n := 0
	for ; n < len(rest) && len(body) < 128; n++ {
		switch b := rest[n]; {
		case isAlnum(b), b == '+', b == '/', b == '=':
			if b == 'n' && n > 0 && rest[n-1] == '\\' { // a line end in a string
				continue
			}
			body = append(body, b)
		case strings.IndexByte(" \t\r\n\\\"'#,:", b) < 0:
			n = len(rest)
		}
	}
	if data := string(body); len(data) < 64 || isPlaceholder(data[:64]) || !isMixed(data) {
		return secret{}, 0
	}
	n = min(n, len(rest))
	return secret{what: "a private key", text: text[i:i+end] + string(body)}, end + n
}

// dottedAt finds tokens of parts: JSON Web Tokens, bot tokens, tokens with a
// number in front.
func dottedAt(text string, i int) (secret, int) {
	b := text[i]
	switch {
	case strings.HasPrefix(text[i:], "ey"):
		return jwtAt(text, i)
	case strings.HasPrefix(text[i:], "ZXlK"):
		n := run(text[i:], wide, maxToken)
		if inner, err := base64.StdEncoding.DecodeString(text[i : i+n]); err == nil {
			if s, m := jwtAt(string(inner), 0); m > 0 && s.text != "" {
				return secret{what: s.what, text: text[i : i+n]}, n
			}
		}
	case b >= '0' && b <= '9':
		// Telegram: the bot's number, a colon, 35 letters that begin with AA.
		n := run(text[i:], digits, 20)
		if n >= 8 && n <= 12 && strings.HasPrefix(text[i+n:], ":AA") {
			if m := run(text[i+n+1:], word, maxToken); m == 35 && !isPlaceholder(text[i+n+1:i+n+1+m]) && isMixed(text[i+n+1:i+n+1+m]) {
				return secret{what: "a Telegram bot token", text: text[i : i+n+1+m]}, n + 1 + m
			}
		}
	case b == 'p' && strings.HasPrefix(text[i:], "pat"):
		// Airtable: 14 letters, a dot, a digest.
		if n := run(text[i:], alnum, 20); n == 17 && i+n < len(text) && text[i+n] == '.' {
			if m := run(text[i+n+1:], hexLow, 80); m == 64 && isMixed(text[i:i+n+1+m]) {
				return secret{what: "an Airtable token", text: text[i : i+n+1+m]}, n + 1 + m
			}
		}
	}
	if n := run(text[i:], word, 30); (b == 'M' || b == 'N' || b == 'O') && n >= 23 && n <= 28 {
		// Discord: the bot's number in base64, a time, a signature.
		parts, n := dotted(text[i:])
		if len(parts) == 3 && len(parts[1]) >= 6 && len(parts[1]) <= 7 && len(parts[2]) >= 27 && len(parts[2]) <= 38 {
			if id, err := base64.RawStdEncoding.DecodeString(parts[0]); err == nil && run(string(id), digits, 40) == len(id) {
				return secret{what: "a Discord bot token", text: text[i : i+n]}, n
			}
		}
	}
	if n := run(text[i:], word, 50); n == 40 && strings.HasSuffix(text[i:i+n], "_mmk") && isMixed(text[i:i+n]) {
		return secret{what: "a MaxMind key", text: text[i : i+n]}, n
	}
	if i+6 < len(text) && text[i+4:i+6] == "Q~" && text[i+3] >= '0' && text[i+3] <= '9' {
		if n := run(text[i:], wide, maxToken); n >= 37 && n <= 44 && isMixed(text[i:i+n]) {
			return secret{what: "an Azure client secret", text: text[i : i+n]}, n
		}
	}
	return secret{}, 0
}

// dotted splits a word at its dots.
func dotted(text string) (parts []string, n int) {
	for {
		m := run(text[n:], word, maxToken)
		parts = append(parts, text[n:n+m])
		n += m
		if n >= len(text) || text[n] != '.' || len(parts) > 3 {
			return parts, n
		}
		n++
	}
}

// maxHead is the longest first part of a token that is looked at; a few claims
// about a key are far shorter.
const maxHead = 400

// jwtAt finds a signed JSON Web Token: what is before its first dot is JSON.
func jwtAt(text string, i int) (secret, int) {
	if head := run(text[i:], word, maxHead+1); head > maxHead || i+head >= len(text) || text[i+head] != '.' {
		return secret{}, 0
	}
	parts, n := dotted(text[i:])
	if len(parts) < 3 || len(parts[0]) < 17 || len(parts[1]) < 17 || len(parts[2]) < 20 {
		return secret{}, 0
	}
	head, err := base64.RawURLEncoding.DecodeString(parts[0])
	var fields map[string]any
	if err != nil || json.Unmarshal(head, &fields) != nil || fields["alg"] == nil || fields["alg"] == "none" {
		return secret{}, 0
	}
	// Of the tokens in manuals, the claims say so.
	if claims, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && (hasOne(string(claims), placeholderWords) || strings.Contains(string(claims), "John Doe")) {
		return secret{}, n
	}
	return secret{what: "a JSON Web Token", text: text[i : i+n]}, n
}

// addressAt finds the password in an address: "scheme://user:password@host".
func addressAt(text string, i int) (secret, int) {
	n := run(text[i:], lower, 30)
	for n < 30 && i+n < len(text) && (text[i+n] == '+' || text[i+n] == '-') {
		n += 1 + run(text[i+n+1:], lower, 30)
	}
	if n < 2 || n > 30 || !strings.HasPrefix(text[i+n:], "://") {
		return secret{}, 0
	}
	from := i + n + 3
	rest := text[from:min(from+400, len(text))]
	end := strings.IndexAny(rest, "/?# \t\r\n\"'`<>()[]\\,")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return secret{}, 0
	}
	_, password, ok := strings.Cut(rest[:at], ":")
	if !ok || len(password) < 6 || isPlaceholder(password) || strings.ContainsAny(password, "{}$%") && strings.ContainsAny(password, "{}()") {
		return secret{}, 0
	}
	host, _, _ := strings.Cut(rest[at+1:end], ":")
	if !isOutside(host) || isWord(password) {
		return secret{}, 0
	}
	return secret{what: "an address with a password", text: password}, n + 3 + end
}

// isOutside tells whether a host is one that others reach: names without a dot,
// this machine and the names that manuals use are not.
func isOutside(host string) bool {
	host = strings.ToLower(host)
	for _, no := range []string{"localhost", "127.", "0.0.0.0", "example", "your", "domain.", "host.", "server.", "xxx", "{", "<", "$", "%"} {
		if strings.Contains(host, no) {
			return false
		}
	}
	return strings.Contains(host, ".")
}

// isWord tells whether a password is what manuals write for one.
func isWord(password string) bool {
	low := strings.ToLower(strings.Trim(password, "0123456789!._-"))
	for w := range strings.FieldsSeq("password passwd pass pwd secret token apikey api_key key user username admin root test postgres mysql redis mongo guest pw foo bar baz hunter letmein qwerty p@ssword p@ssw0rd passw0rd userpass mypass dbpass dbpassword database") {
		if low == w || low == "my"+w || low == "the"+w || low == "db_"+w || low == "my_"+w {
			return true
		}
	}
	return false
}
