package manifest

import (
	"regexp"
	"sync"
)

// The editions of Arcade's definitions [C-33]. A document does not say which it
// is; its members do.
const (
	ArcadeSpecified = "specified" // worker-http 1.0: the one that is written and published
	ArcadePreview   = "preview"   // secrets have a key, requirements metadata
	ArcadeSDK       = "sdk"       // as the SDK serialises: nulls, nested properties, behaviour
	ArcadeEngine    = "engine"    // as the engine's API answers: qualified_name, what is met
	ArcadeDocs      = "docs"      // as the catalogue of the documentation lists tools: fullyQualifiedName
)

// arcadeEditions is a set of them.
type arcadeEditions uint8

// In the order in which one overrides another where a document has signs of both:
// the SDK's contains the preview's, the engine's the SDK's.
const (
	inSpecified arcadeEditions = 1 << iota
	inPreview
	inSDK
	inEngine
	everywhere = inSpecified | inPreview | inSDK | inEngine
)

func (e arcadeEditions) name() string {
	switch {
	case e&inSpecified != 0:
		return ArcadeSpecified
	case e&inPreview != 0:
		return ArcadePreview
	case e&inSDK != 0:
		return ArcadeSDK
	}
	return ArcadeEngine
}

// highest is the edition that a document with these signs is of.
func (e arcadeEditions) highest() string {
	for _, one := range []arcadeEditions{inEngine, inSDK, inPreview} {
		if e&one != 0 {
			return one.name()
		}
	}
	return ArcadeSpecified
}

// what an object of a definition is.
type arcadeObject int

const (
	aDefinition arcadeObject = iota
	aToolkit
	anInput
	aParameter
	aValue
	anOutput
	theRequirements
	aSecret
	anAccount
	theOAuth2
)

// arcadeMembers says which edition has which member, of every object.
var arcadeMembers = [...]map[string]arcadeEditions{
	aDefinition: {
		"$schema": everywhere, "name": everywhere, "fully_qualified_name": everywhere, "description": everywhere,
		"toolkit": everywhere, "input": everywhere, "output": everywhere, "requirements": everywhere,
		"deprecation_message": inSDK, "metadata": inSDK | inEngine,
		"qualified_name": inEngine, "formatted_schema": inEngine,
	},
	aToolkit:   {"name": everywhere, "description": everywhere, "version": everywhere},
	anInput:    {"parameters": everywhere},
	aParameter: {"name": everywhere, "required": everywhere, "description": everywhere, "value_schema": everywhere, "inferrable": everywhere},
	aValue: {
		"val_type": everywhere, "inner_val_type": everywhere, "enum": everywhere,
		"properties": inSDK, "inner_properties": inSDK, "description": inSDK, "required_keys": inSDK,
		"inner_required_keys": inSDK, "nullable": inSDK,
	},
	anOutput:        {"available_modes": everywhere, "description": everywhere, "value_schema": everywhere},
	theRequirements: {"secrets": everywhere, "authorization": everywhere, "metadata": inPreview | inSDK, "met": inEngine},
	aSecret:         {"key_id": everywhere, "key": inPreview | inSDK | inEngine, "met": inEngine, "status_reason": inEngine},
	anAccount: {
		"provider_id": everywhere, "provider_type": everywhere, "id": everywhere, "oauth2": everywhere,
		"scopes": inEngine, "status": inEngine, "status_reason": inEngine, "token_status": inEngine,
		"met": inEngine,
	},
	theOAuth2: {"scopes": everywhere},
}

// renamed are members of other editions that the specified one has under another
// name; nothing is lost with them.
var renamed = map[string]bool{
	"key": true, "qualified_name": true, "scopes": true,
	// What the engine found of one user is no part of a definition.
	"met": true, "status": true, "status_reason": true, "token_status": true, "formatted_schema": true,
}

// editionInURI finds the edition that a $schema names, such as worker-http/1.0.
var editionInURI = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[/_.-])(worker(?:-http)?)[/_-]?v?(\d+(?:\.\d+)*)|/(preview)/`)
})

// saidEdition tells which edition a $schema names: "" where it names none, and the
// edition itself, beside false, where it is one that nothing here knows.
func saidEdition(uri string) (edition string, known bool) {
	m := editionInURI().FindStringSubmatch(uri)
	switch {
	case m == nil:
		return "", true
	case m[3] != "":
		return ArcadePreview, true
	case m[2] == "1.0" || m[2] == "1" || m[2] == "1.0.0":
		return ArcadeSpecified, true
	}
	return m[1] + " " + m[2], false
}
