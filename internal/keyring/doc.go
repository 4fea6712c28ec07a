// Package keyring keeps the secrets that a person gives to installed tools.
//
// Where they lie. The system's own keyring, where one answers (Keychain,
// Credential Manager, a Secret Service on Linux); else a file of the user's state
// that nobody else may read, mode 0600. The file is not encrypted, and nothing here
// says it were: whoever reads it as this user, or as root, has the secrets. Which
// of the two it is a [Store] tells, and a caller tells the person.
//
// What it promises. A value is a [Secret], which every way of printing it shows as
// a placeholder; only Reveal gives it out. No error of this package holds one. Names
// are no secret. A call never hangs: a keyring that asks a person who is not there
// is given up after a time limit, which is "could not tell" and not "there is none".
package keyring
