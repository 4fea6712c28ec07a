package sigtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// audience is whom a token must be for that Fulcio takes.
const audience = "sigstore"

// tokenLife is how long GitHub's tokens are valid.
const tokenLife = 5 * time.Minute

// tokenBody is what a token says.
type tokenBody struct {
	Claims

	Audience  string `json:"aud"`
	ID        string `json:"jti"`
	IssuedAt  int64  `json:"iat"`
	NotBefore int64  `json:"nbf"`
	Expires   int64  `json:"exp"`
}

// tokens mints tokens and reads them again. GitHub signs with RSA, whose keys
// take too long to make; clients cannot tell.
type tokens struct{ key ed25519.PrivateKey }

func newTokens() (*tokens, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return &tokens{key}, err
}

var segment = base64.RawURLEncoding

func (t *tokens) mint(c Claims, forWhom string, now time.Time) (string, error) {
	header, err := json.Marshal(map[string]string{"typ": "JWT", "alg": "EdDSA", "kid": "sigtest"})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(tokenBody{
		Claims: c, Audience: forWhom, ID: rand.Text(),
		IssuedAt: now.Unix(), NotBefore: now.Add(-tokenLife).Unix(), Expires: now.Add(tokenLife).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed := segment.EncodeToString(header) + "." + segment.EncodeToString(body)
	return signed + "." + segment.EncodeToString(ed25519.Sign(t.key, []byte(signed))), nil
}

// read returns what a token says that is for Fulcio, now.
func (t *tokens) read(token string, now time.Time) (Claims, error) {
	signed, sig := token, ""
	if dot := strings.LastIndexByte(token, '.'); dot >= 0 {
		signed, sig = token[:dot], token[dot+1:]
	}
	raw, err := segment.DecodeString(sig)
	if err != nil {
		return Claims{}, fmt.Errorf("read token: %w", err)
	}
	public := t.key.Public().(ed25519.PublicKey)
	if !ed25519.Verify(public, []byte(signed), raw) {
		return Claims{}, errors.New("read token: it is not signed by the issuer")
	}
	_, middle, _ := strings.Cut(signed, ".")
	text, err := segment.DecodeString(middle)
	if err != nil {
		return Claims{}, fmt.Errorf("read token: %w", err)
	}
	var body tokenBody
	switch err := json.Unmarshal(text, &body); {
	case err != nil:
		return Claims{}, fmt.Errorf("read token: %w", err)
	case body.Audience != audience:
		return Claims{}, fmt.Errorf("read token: it is for %q, not for %q", body.Audience, audience)
	case now.Unix() < body.NotBefore || now.Unix() >= body.Expires:
		return Claims{}, errors.New("read token: it is not valid now")
	}
	return body.Claims, nil
}
