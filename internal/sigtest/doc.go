// Package sigtest is a whole Sigstore instance inside one process: a certificate
// authority (Fulcio), its certificate transparency log, a timestamp authority
// and transparency logs of both versions (Rekor). It is for tests alone.
//
// [Sigstore.Sign] runs sigstore-go's own signing code against the instance, so
// that what comes out is an ordinary bundle of version 0.3, which sigstore-go
// and cosign accept under the instance's [Sigstore.TrustedRoot]. A [Change]
// makes the instance misbehave in one point, so that a test can show an attack
// beside the twin that differs in that point alone. [Sigstore.Serve] puts the
// services on this machine's loopback address, where production code that signs
// finds what it finds at the real ones.
//
// Everything follows one clock, [Options.Now], and nothing leaves the process.
package sigtest
