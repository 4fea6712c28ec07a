package quarantine

import (
	"strings"
	"testing"
)

// BenchmarkFindSecrets reads an ordinary tool of 20 KB.
func BenchmarkFindSecrets(b *testing.B) {
	text := strings.Repeat(validSource, 20<<10/len(validSource)+1)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		findSecrets(text)
		findSplit(text)
	}
}

// BenchmarkFindSecretsOfHostile reads a megabyte that begins tokens all the time.
func BenchmarkFindSecretsOfHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"prefixes": "ghp_ ", "dots": "a.b-", "names": "token=", "quotes": `"+"`, "keys": "-----BEGIN RSA PRIVATE KEY-----\n", "jwt": "eyJ.", "urls": "http://a:b", "parens": "key=((((", "discord": "M-", "claims": "ey-", "bedrock": "ABSK-", "encoded": "ZXlK/",
	} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				findSecrets(text)
				findSplit(text)
			}
		})
	}
}
