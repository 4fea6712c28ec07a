// Package signing makes the evidence of a registry: signed statements and
// checkpoints. It reads its own output back, as a client does, before it returns
// it, so that nothing is published that a client would refuse.
//
// A key is ECDSA on P-256 in PKCS #8 PEM, in a file that only its owner reads.
package signing
