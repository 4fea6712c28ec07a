package sigtest

import (
	"crypto/x509/pkix"
	"slices"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
)

// Change makes an instance misbehave in one point.
type Change func(*deviation)

// deviation is what an instance does otherwise than it should.
type deviation struct {
	noSCT, foreignSCT, twoSCTs  bool
	noTimestamp, twoTimestamps  bool
	noEntry, twoEntries         bool
	otherDigest, olderLog       bool
	stampedAt, validFrom, until time.Time
	san, payloadType            string
	without                     []int
	besides                     []pkix.Extension
}

func deviate(changes []Change) deviation {
	var d deviation
	for _, change := range changes {
		change(&d)
	}
	return d
}

// NoSCT leaves out the proof that the certificate was logged.
func NoSCT(d *deviation) { d.noSCT = true }

// ForeignSCT has the certificate logged by a log that nobody knows.
func ForeignSCT(d *deviation) { d.foreignSCT = true }

// DuplicateSCT states the one promise twice, as if two logs had given it.
func DuplicateSCT(d *deviation) { d.twoSCTs = true }

// NoTimestamp asks no timestamp authority.
func NoTimestamp(d *deviation) { d.noTimestamp = true }

// DuplicateTimestamp states the one timestamp twice, as if two authorities had
// seen the signature. One is still as good as it was: only who asks for two is
// to refuse the bundle.
func DuplicateTimestamp(d *deviation) { d.twoTimestamps = true }

// NoLog enters nothing into the transparency log.
func NoLog(d *deviation) { d.noEntry = true }

// DuplicateLog states the one log entry twice, as if it were in two logs.
func DuplicateLog(d *deviation) { d.twoEntries = true }

// OlderLog enters the signature into the log of version 1, as the public-good
// instance does.
func OlderLog(d *deviation) { d.olderLog = true }

// LogOtherDigest logs the signature as one over another payload.
func LogOtherDigest(d *deviation) { d.otherDigest = true }

// TimestampAt has the timestamp authority state another time than now.
func TimestampAt(t time.Time) Change { return func(d *deviation) { d.stampedAt = t } }

// Lifetime has the certificate valid at another time than for ten minutes from
// now on.
func Lifetime(from, to time.Time) Change {
	return func(d *deviation) { d.validFrom, d.until = from, to }
}

// SAN has another name certified than the claims say: a URI.
func SAN(uri string) Change { return func(d *deviation) { d.san = uri } }

// WithoutExtension leaves out Fulcio's certificate extension
// 1.3.6.1.4.1.57264.1.n.
func WithoutExtension(n int) Change {
	return func(d *deviation) { d.without = append(d.without, n) }
}

// Extension certifies something besides. One of the names of the subject takes
// the place of the SAN.
func Extension(e pkix.Extension) Change {
	return func(d *deviation) { d.besides = append(d.besides, e) }
}

// PayloadType signs the payload as something else than an in-toto statement.
func PayloadType(mediaType string) Change {
	return func(d *deviation) { d.payloadType = mediaType }
}

// repeat states twice in a bundle what is there once.
func (d deviation) repeat(b *protobundle.Bundle) {
	material := b.GetVerificationMaterial()
	if d.twoEntries {
		material.TlogEntries = slices.Repeat(material.GetTlogEntries(), 2)
	}
	if stamps := material.GetTimestampVerificationData(); d.twoTimestamps && stamps != nil {
		stamps.Rfc3161Timestamps = slices.Repeat(stamps.GetRfc3161Timestamps(), 2)
	}
}
