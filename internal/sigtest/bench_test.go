package sigtest_test

import (
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

var curves = []struct {
	name string
	o    sigtest.Options
}{{"P256", sigtest.Options{}}, {"P384", sigtest.Options{P384: true}}}

func BenchmarkNew(b *testing.B) {
	for _, curve := range curves {
		b.Run(curve.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				instance(b, curve.o)
			}
		})
	}
}

func BenchmarkSign(b *testing.B) {
	for _, curve := range curves {
		b.Run(curve.name, func(b *testing.B) {
			s := instance(b, curve.o)
			b.ReportAllocs()
			for b.Loop() {
				signed(b, s, claims)
			}
		})
	}
}
