// Package secrets knows where secrets usually lie: keys, passwords, tokens,
// the state of browsers and wallets, what a shell was told. It judges a path by
// its name, and searches a folder, within bounds, for what must not be given
// along with it.
//
// What it never does: it finds no secret that has the name of something else,
// it follows no link, and it keeps nothing of what it reads. A second name of
// the same file, a hard link, cannot be told from any other file.
package secrets
