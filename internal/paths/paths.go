// Package paths says where the state of one user lies.
package paths

import "github.com/patch-cat/patch-git/spec"

// Paths are the places of one user's state. Every place is a method, so that
// nobody joins strings. All of them lie below Root, which follows env-paths
// for the application "patch-cat" [AR-20].
type Paths struct{ Root string }

// Default finds the state directory: PATCH_GIT_HOME, else what the
// operating system's custom says for data of one user. home is the user's home
// directory. The result has an empty Root when there is nowhere to go.
func Default(goos, home string, getenv func(string) string) Paths {
	if p := getenv("PATCH_GIT_HOME"); isAbs(p) {
		return Paths{Root: clean(p)}
	}
	const app = "patch-cat"
	switch goos {
	case "windows":
		if p := getenv("LOCALAPPDATA"); p != "" {
			return Paths{Root: join(p, app, "Data")}
		}
		if home != "" {
			return Paths{Root: join(home, "AppData", "Local", app, "Data")}
		}
	case "darwin":
		if home != "" {
			return Paths{Root: join(home, "Library", "Application Support", app)}
		}
	default:
		if p := getenv("XDG_DATA_HOME"); isAbs(p) {
			return Paths{Root: join(p, app)}
		}
		if home != "" {
			return Paths{Root: join(home, ".local", "share", app)}
		}
	}
	return Paths{}
}

// Config is the user's configuration, mode 0600 [AR-25].
func (p Paths) Config() string { return join(p.Root, "config.json") }

// Index is the list of installed tools [AR-22].
func (p Paths) Index() string { return join(p.Root, "index.json") }

// Lock is the file that writers of the index hold.
func (p Paths) Lock() string { return join(p.Root, ".lock") }

// Tools has one main file per installed tool: <name>.py of a Patch tool [AR-21], and
// the name with the format's own main file behind it of any other.
func (p Paths) Tools() string { return join(p.Root, "tools") }

// Tool is where the current version of a Patch tool lies.
func (p Paths) Tool(n spec.Name) string { return p.Main(n, spec.FormatPatch) }

// Main is where the main file of the current version of a tool lies.
func (p Paths) Main(n spec.Name, format spec.Format) string {
	if format == spec.FormatPatch {
		return join(p.Tools(), string(n)+".py")
	}
	return join(p.Tools(), string(n)+"."+format.MainFile())
}

// Receipts has the receipt and the evidence of each installed release, the
// commit point of an install.
func (p Paths) Receipts() string { return join(p.Root, "receipts") }

// Store has release files by digest [C-11].
func (p Paths) Store() string { return join(p.Root, "store") }

// Runs has one .json per execution [AR-23].
func (p Paths) Runs() string { return join(p.Root, "runs") }

// Blobs has stdout and stderr of runs by digest [AR-24].
func (p Paths) Blobs() string { return join(p.Runs(), "blobs") }

// Audit has the key of the records of runs, and which one was the last, apart
// from the records themselves.
func (p Paths) Audit() string { return join(p.Root, "audit") }

// Registries has what is pinned and last seen of each registry.
func (p Paths) Registries() string { return join(p.Root, "registries") }

// Watched has how far the log of each registry was read.
func (p Paths) Watched() string { return join(p.Root, "watched") }

// Trust has the refreshed trusted root of the public Sigstore.
func (p Paths) Trust() string { return join(p.Root, "trust") }

// Envs has Python environments by the digest of their closure.
func (p Paths) Envs() string { return join(p.Root, "envs") }

// Hosts has what files of AI hosts were before they were changed, mode 0600.
func (p Paths) Hosts() string { return join(p.Root, "hosts") }

// Approvals has what waits for a person's word and what was decided, mode 0600.
func (p Paths) Approvals() string { return join(p.Root, "approvals") }

// Keys has the private keys of registries that this user maintains, mode 0600.
func (p Paths) Keys() string { return join(p.Root, "keys") }

// Secrets has what people gave installed tools and nobody else may know, where no
// keyring of the system keeps it, mode 0600.
func (p Paths) Secrets() string { return join(p.Root, "secrets") }

// Prefixes has what install manifests had acquired, each release in a folder of
// its own.
func (p Paths) Prefixes() string { return join(p.Root, "prefixes") }

// Token is what AI hosts show a server that listens on HTTP, mode 0600.
func (p Paths) Token() string { return join(p.Root, "mcp-token") }

// Cache is what can be deleted at any time.
func (p Paths) Cache() string { return join(p.Root, "cache") }

// Search has the list of a registry's tools and the index of it.
func (p Paths) Search(r spec.RegistryName) string { return join(p.Cache(), "search", string(r)) }

// Compared has which search indexes were compared with their digests.
func (p Paths) Compared() string { return join(p.Cache(), "compared") }

// Programs has the bytecode of this program's own Python programs.
func (p Paths) Programs() string { return join(p.Cache(), "programs") }

// Answers has what those programs said, such as about sources that were checked.
func (p Paths) Answers() string { return join(p.Cache(), "answers") }

// Trees has which installed files were held against their digest, as they lie there.
func (p Paths) Trees() string { return join(p.Cache(), "trees") }

// Pythons has interpreters that this program brought, each in a folder of its
// own.
func (p Paths) Pythons() string { return join(p.Cache(), "python") }

// Pins says which interpreter serves which version of Python, where the user
// said so, mode 0600.
func (p Paths) Pins() string { return join(p.Root, "python.json") }

// Notes has what hosts reported of their conversations.
func (p Paths) Notes() string { return join(p.Root, "notes") }

// Driver says which driver of the sandbox works until the next boot.
func (p Paths) Driver() string { return join(p.Cache(), "sandbox.json") }

// CheckGuess is the job by which the program that looks at sources is started.
func (p Paths) CheckGuess() string { return join(p.Cache(), "ahead", "check") }

// Guess is the job that a tool will probably have, the one of its last run.
func (p Paths) Guess(n spec.Name) string { return join(p.Cache(), "ahead", n.String()+".job") }
