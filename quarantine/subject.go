package quarantine

import "github.com/patch-cat/patch-git/spec"

// Subject is what [Check] judges: a release and what is known around it. What
// is left out is reported as unchecked or, for the Python facts, as an error.
type Subject struct {
	Release *spec.Release

	// Facts and FactsErr are the two results of [Inspect].
	Facts    *Facts
	FactsErr error

	// Scripts are what [InspectScripts] told of the scripts of a skill. One that is
	// missing is judged as one that nobody could read.
	Scripts []ScriptFacts

	// Owner is who proposes the release, spelled as in Names; "" is nobody,
	// who owns no name.
	Owner string

	// Names are the names that the registry holds or has ever held. nil means
	// that nobody looked; an empty registry is an empty list.
	Names []Existing

	// Previous are the published versions of this name, nil as for Names.
	Previous []Published

	// Waivers are those of the registry that hold today: they mark what they
	// are about, and it blocks nothing then. They never come with the release.
	Waivers []spec.Waiver
}

// Existing is a name that is taken. Removed names stay in the list: a name
// never becomes free again.
type Existing struct {
	Name  spec.Name
	Owner string // opaque and stable: a numeric id, not a login
	// Aliases are other names that it is asked for by, as far as somebody looked:
	// those that read as the name of a new tool are enough.
	Aliases []spec.Name
}

// Published is one published version and the digests of its files.
type Published struct {
	Version spec.Version
	Files   map[string]spec.Digest
}
