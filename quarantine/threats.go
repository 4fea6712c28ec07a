package quarantine

import (
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// shapeMeaning is what a shape of the syntax tree means to a rule.
type shapeMeaning struct {
	shape string
	rule  *Rule
	mild  bool   // a warning
	seen  string // one clause; %s is the detail
}

// threatShapes are the words of [Threat] in the order of their rules.
var threatShapes = []shapeMeaning{
	{"exec-downloaded", madeCode, false, "%s runs what came from the network"},
	{"exec-decoded", madeCode, false, "%s runs what was decoded, decrypted or unmarshalled"},
	{"exec-text", madeCode, false, "code stands in a text that is run: %s"},
	{"exec-computed", madeCode, false, "%s runs a text that is computed"},
	{"exec-file", madeCode, false, "%s runs the content of another file"},
	{"exec-variable", madeCode, false, "%s runs what a variable of the environment holds"},
	{"rewrites-itself", madeCode, false, "%s changes or removes the file itself"},
	{"exec-handed", madeCode, false, "%s is handed on, to be called with a text that nobody sees here"},
	{"machine-code", madeCode, false, "%s makes memory that holds machine code"},
	{"blob-and-code", madeCode, false, "a long encoded text stands in a file that runs made code%.0s"},

	{"download-run", shellText, false, "a command downloads and runs at once: %s"},
	{"reverse-shell", shellText, false, "a shell is connected to the network: %s"},
	{"encoded-command", shellText, false, "a command hides what it runs: %s"},
	{"destructive", shellText, false, "a command or call destroys whole trees or disks: %s"},
	{"exfil-command", shellText, false, "a command sends out what it reads: %s"},
	{"run-downloaded", shellText, false, "%s starts what came from the network"},
	{"run-decoded", shellText, false, "%s starts what was decoded"},
	{"run-dropped", shellText, false, "%s starts a file that the tool wrote from what it fetched or decoded"},
	{"encrypts-files", shellText, false, "files of a whole tree are encrypted and replaced%.0s"},
	{"hidden-process", shellText, true, "a process is started detached or without a window: %s"},

	{"environment-out", privateOut, false, "the whole environment goes to %s"},
	{"identity-out", privateOut, false, "the name of the machine or of its user goes to %s"},
	{"private-out", privateOut, false, "what was read from a private place goes to %s"},
	{"lookup-out", privateOut, false, "data is put into the name that %s looks up"},
	{"copied-out", privateOut, false, "every mail goes, besides, to %s"},
	{"blind-send", privateOut, true, "data goes to %s, and nobody looks at the answer"},
	{"hushed-send", privateOut, false, "a thread sends data to %s, and hides when it fails"},
	{"secret-command", privateOut, false, "a command prints passwords or keys: %s"},
	{"keyboard", privateOut, false, "the keyboard is watched by %s"},
	{"keyboard-out", privateOut, false, "the keyboard is watched in a file that uses the network%.0s"},
	{"clipboard-swap", privateOut, false, "addresses of wallets in the clipboard are replaced%.0s"},

	{"tunnel", endpoint, false, "%s opens a tunnel to this machine"},
	{"mining", endpoint, false, "the protocol of mining pools is spoken: %s"},

	{"persist-command", persistence, false, "a command makes something start by itself: %s"},
	{"persist-command-input", persistence, true, "a job or service that the caller names is made to start by itself: %s"},
	{"persistent-write", persistence, false, "%s writes where things start by themselves"},

	{"assembled-name", oddIdentifier, false, "the name %s is put together from pieces although it is constant"},
	{"hidden-text", oddIdentifier, false, "a text of meaning is stored encoded: %s"},
	{"escaped-text", oddIdentifier, false, "plain letters are written as escapes: %s"},
	{"mangled-names", oddIdentifier, false, "names are made to be unreadable: %s"},
	{"far-right", oddIdentifier, false, "code stands behind 120 or more blanks%.0s"},
	{"long-line", oddIdentifier, false, "a line has %s characters"},

	{"gadget", gadget, false, "%s opens the interpreter's own objects"},
	{"patched", gadget, false, "%s of the standard library is replaced"},
	{"native", gadget, false, "%s is native code"},

	{"protection-off", tampering, false, "a command switches off what protects or records: %s"},
	{"recorder", tampering, false, "%s reaches what records or loads code"},
	{"tapped", tampering, false, "%s is replaced by a function of the file"},
	{"unverified-all", tampering, false, "%s is replaced for the whole process"},
	{"preload", tampering, false, "%s makes other programs load code"},
	{"raised-rights", tampering, false, "%s makes a file run with its owner's rights"},

	{"package-install", runtimeInstall, true, "packages are installed: %s"},
	{"package-install-input", runtimeInstall, true, "packages are installed that the caller names: %s"},
	{"package-install-any", runtimeInstall, false, "packages are installed that the file does not name, or from a place of its own: %s"},

	{"no-verification", carelessness, true, "%s does not verify who answers"},
	{"unpickled", carelessness, true, "%s runs code that the data names"},
	{"executable-temp", carelessness, true, "%s makes a temporary file that others can guess or run"},

	{"reach-process", importReach, false, "importing the file starts a process by %s"},
	{"reach-network", importReach, false, "importing the file uses the network by %s"},
	{"reach-execute", importReach, false, "importing the file runs made code by %s"},
	{"reach-write", importReach, false, "importing the file writes or deletes by %s"},
	{"setup", setupHook, false, "%s is called"},

	// What a tool returns goes to a model, so reading is enough.
	{"sensitive-read", privateOut, false, "%s reads a place where keys, profiles or wallets are kept"},
}

var shapeOf = sync.OnceValue(func() map[string]*shapeMeaning {
	words := map[string]*shapeMeaning{}
	for i := range threatShapes {
		words[threatShapes[i].shape] = &threatShapes[i]
	}
	return words
})

// checkThreats gives each shape to its rule. Nothing about a shape depends on
// what stands around it; only what is declared makes a gadget none.
func checkThreats(c *collector) {
	for _, t := range c.Facts.Threats {
		m := shapeOf()[t.Shape]
		if m == nil {
			continue // ParseFacts lets no such fact pass
		}
		switch t.Shape {
		case "gadget", "patched":
			if declares(c.tool, CapabilityDynamic) {
				continue
			}
		case "native":
			if declares(c.tool, CapabilityNative) {
				continue
			}
		}
		report := c.add
		if m.mild {
			report = c.warn
		}
		report(m.rule, c.inMain(t.Place), m.seen, spec.Quote(t.Detail))
	}
	checkEndpoints(c)
}
