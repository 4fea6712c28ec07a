package quarantine

// SecretRule is the id of findings whose line must not be repeated anywhere.
const SecretRule = "SEC-001"

// leakedSecret is the rule about secrets.
var leakedSecret = &Rule{
	ID: SecretRule, Severity: bad, Waiver: WaiverMaintainer,
	What:   "a secret stands in the release",
	Why:    "what is published is read by everybody and cannot be taken back, so whoever has the secret uses it",
	Fix:    "revoke the secret where it was given out, take it out of the file, and let the tool get it by external_auth or as an argument",
	Source: "SEC-001",
}

var secretRules = []*Rule{leakedSecret}
