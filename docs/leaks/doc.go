// Package leaks holds the rule about secrets (SEC-001) against gitleaks, whose
// work it does in the program: how much of what gitleaks finds is found, what
// each says of files without secrets, and what each costs. `make leaks` prints
// the figures of docs/benchmarks.md. It is a module of its own, because gitleaks
// and what it needs are no part of the program.
package leaks
