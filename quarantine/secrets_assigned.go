package quarantine

import "strings"

// secretWords name what is to be kept: one of them in the name before a value.
const secretWords = `secret token passw pwd credential apikey api_key api-key accesskey access_key access-key authkey auth_key
	auth-key privatekey private_key private-key encryption_key encryption-key signing_key signing-key client_key app_key
	appkey app-key license_key subscription_key subscription-key account_key master_key service_key bearer authorization
	x-api-key access_id admin_key connection_string webhook gitlab_session`

// providerWords are services whose keys say nothing by how they begin.
const providerWords = `adafruit adobe airtable algolia alibaba asana atlassian confluence jira beamer bitbucket bittrex meraki
	cloudflare codecov cohere co_api_key coinbase confluent contentful datadog discord droneci dropbox etsy facebook fastly
	finicity finnhub flickr freshbooks gitter gocardless heroku hubspot intercom jfrog artifactory bintray kraken kucoin
	launchdarkly linear linkedin linked_in linked-in lob looker mailchimp mailgun mapbox mattermost message_bird messagebird
	message-bird netlify newrelic new_relic new-relic nytimes okta plaid privateai private_ai private-ai rapidapi sendbird
	sentry sidekiq snyk sonar square squarespace sumo telegr travis trello twilio twitch twitter typeform yandex zendesk
	openai anthropic gemini deepl weather serpapi tavily newsapi tmdb steam spotify`

// assignedAt finds a value that is drawn by lot and stands under a name that says
// it is to be kept: name = "value", "name": "value", NAME=value, name: value,
// f(name="value"). The search begins at the name.
func assignedAt(text string, i int) (secret, int) {
	if !isAlnum(text[i]) && text[i] != '_' || i > 0 && (isAlnum(text[i-1]) || text[i-1] == '_' || text[i-1] == '-' || text[i-1] == '.') {
		return secret{}, 0
	}
	n := nameRun(text[i:])
	if n < 3 || n > 80 {
		return secret{}, 0
	}
	value, from, quoted := assignedValue(text[i+n:])
	if len(value) < 15 || len(value) > 200 {
		return secret{}, 0
	}
	name := strings.ToLower(text[i : i+n])
	kept := hasOne(name, secretWords)
	if hasOne(name, notKept) || !kept && (!hasOne(name, providerWords) || !isPlainKey(value)) {
		return secret{}, 0
	}
	from += n
	if isPlaceholder(value) || !isMixed(value) || !hasDigits(value, quoted) || looksMade(value) {
		return secret{}, 0
	}
	return secret{what: "a value drawn by lot under the name of a secret", text: value}, from + len(value)
}

// isPlainKey tells whether a value is nothing but letters and digits, or a UUID.
func isPlainKey(value string) bool {
	n := run(value, alnum, len(value))
	return n == len(value) && n >= 20 || len(value) == 36 && n == 8 && strings.Count(value, "-") == 4 && strings.Trim(value, "0123456789abcdefABCDEF-") == ""
}

// hasDigits tells names from values: names in code have few digits, and only in
// quotes can a value be anything but one.
func hasDigits(value string, quoted bool) bool {
	digits := 0
	for i := range len(value) {
		if value[i] >= '0' && value[i] <= '9' {
			digits++
		}
	}
	return digits >= 3 || quoted && (digits >= 2 || len(value) >= 40)
}

// notKept are names that hold a secret's word and are none.
const notKept = `public tokenizer tokens_ max_token token_count tokencount n_tokens token_type next_token nexttoken page_token
	pagetoken pagination cursor token_url token_uri token_endpoint secret_name secretname secret_arn key_name token_name
	csrf_field password_field hash digest checksum sha256 sha1 md5 fingerprint integrity etag commit revision nonce namespace`

func hasOne(name, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// nameRun is how much of a text is a name, as of a variable or a member.
func nameRun(text string) int {
	n := 0
	for n < len(text) && n < 100 && (kindOf(text[n])&word != 0 || text[n] == '.') {
		n++
	}
	return n
}

// assignedValue reads what a name is given: operators, an opening quote, the value
// up to where it ends. from is where the value begins.
func assignedValue(text string) (value string, from int, quoted bool) {
	n := blanks(text, 0)
	if n < len(text) && strings.IndexByte("\"'`", text[n]) >= 0 { // the end of a quoted name
		n = blanks(text, n+1)
	}
	if n < len(text) && text[n] == ']' { // os.environ["NAME"] = …
		n = blanks(text, n+1)
	}
	// A type between name and value: "token: str = …".
	if n < len(text) && (text[n] == ':' || n > 0 && isAlnum(text[n])) {
		m := n
		if text[n] == ':' {
			m = blanks(text, n+1)
		}
		if k := nameRun(text[m:]); k > 0 && k < 20 {
			if e := blanks(text, m+k); e < len(text) && text[e] == '=' && (e+1 >= len(text) || text[e+1] != '=') {
				n = e
			}
		}
	}
	operators, comma := 0, n < len(text) && text[n] == ','
	for n < len(text) && operators < 5 && strings.IndexByte("=:>,|?.", text[n]) >= 0 {
		operators++
		n++
	}
	if operators == 0 {
		return "", 0, false
	}
	for n < len(text) && n < 200 && strings.IndexByte(" \t\r\n(", text[n]) >= 0 {
		n++
	}
	n += scheme(text[n:])
	for n < len(text) && strings.IndexByte("\"'`", text[n]) >= 0 {
		quoted = true
		n++
	}
	n += scheme(text[n:])
	if comma && !quoted { // a list of names
		return "", 0, false
	}
	m := run(text[n:], wide, 220)
	value = strings.TrimRight(text[n:n+m], ".,:|")
	end := n + m
	if quoted && (end >= len(text) || strings.IndexByte("\"'`\\", text[end]) < 0) || !quoted && end < len(text) && strings.IndexByte(" \t\r\n\\;,\"'`)]}", text[end]) < 0 {
		return "", 0, false
	}
	return value, n, quoted
}

// scheme is how long the word is that says how a header's value is to be read.
func scheme(text string) int {
	for _, word := range []string{"Bearer ", "bearer ", "Basic ", "Token ", "token "} {
		if strings.HasPrefix(text, word) {
			return len(word)
		}
	}
	return 0
}

func blanks(text string, n int) int {
	for n < len(text) && n < 1000 && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}

// looksMade tells of values that are code, paths, addresses or names with
// numbers rather than drawn by lot: parts between marks that are words.
func looksMade(value string) bool {
	if strings.Contains(value, "://") || strings.Contains(value, "..") || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") {
		return true
	}
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("_-./:|%~+=", r) })
	words := 0
	for _, p := range parts {
		if len(p) < 9 && (strings.Trim(p, "abcdefghijklmnopqrstuvwxyz") == "" || strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" || strings.Trim(p[1:], "abcdefghijklmnopqrstuvwxyz") == "" || strings.Trim(p, "0123456789") == "") {
			words += len(p)
		}
	}
	return len(parts) > 1 && words*2 > len(value)
}
