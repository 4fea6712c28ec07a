package keyless

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// The variables through which GitHub offers a job its identity token, and the
// audience that Fulcio wants it for.
const (
	tokenURLVariable    = "ACTIONS_ID_TOKEN_REQUEST_URL"
	tokenSecretVariable = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
	tokenAudience       = "sigstore"
	maxToken            = 64 << 10
	tokenTime           = 30 * time.Second
)

// GitHubToken returns what fetches the identity token of the GitHub job that
// this process runs in. Each call fetches a new one: they live for minutes.
func GitHubToken(getenv func(string) string, client *http.Client) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		address, secret := getenv(tokenURLVariable), getenv(tokenSecretVariable)
		if address == "" || secret == "" {
			return "", fault.New(fault.Denied, "no_identity", "this is no GitHub job that may ask for an identity").
				Hint("keyless signing works in a job with 'permissions: id-token: write'")
		}
		u, err := url.Parse(address)
		if err != nil {
			return "", fault.New(fault.Usage, "no_identity", "%s is not an address", tokenURLVariable)
		}
		q := u.Query()
		q.Set("audience", tokenAudience)
		u.RawQuery = q.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return "", fault.New(fault.Usage, "no_identity", "%s is not an address", tokenURLVariable)
		}
		req.Header.Set("Authorization", "bearer "+secret)
		req.Header.Set("Accept", "application/json; api-version=2.0")
		b, err := ask(client.Transport, req, tokenTime, maxToken)
		if err != nil {
			return "", err
		}
		var doc struct {
			Value string `json:"value"`
		}
		if err := json.Unmarshal(b, &doc); err != nil || doc.Value == "" {
			return "", fault.New(fault.Unavailable, "no_identity", "GitHub's answer has no token in it")
		}
		return doc.Value, nil
	}
}

// tokenSubject is whom a token names as far as a certificate authority takes
// proof of the key: by the address if there is one, else by the subject. Who
// asks need not verify the token; who certifies does.
func tokenSubject(token string) (string, error) {
	unreadable := errors.New("the identity token is not readable")
	_, rest, _ := strings.Cut(token, ".")
	middle, _, ok := strings.Cut(rest, ".")
	if !ok {
		return "", unreadable
	}
	text, err := base64.RawURLEncoding.DecodeString(middle)
	if err != nil {
		return "", unreadable
	}
	var claims struct {
		Subject  string `json:"sub"`
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some issuers write the word
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		return "", unreadable
	}
	switch {
	case claims.Email != "" && claims.Verified != true && claims.Verified != "true":
		return "", errors.New("the identity token's address is not verified")
	case claims.Email != "":
		return claims.Email, nil
	case claims.Subject == "":
		return "", errors.New("the identity token names nobody")
	}
	return claims.Subject, nil
}
