package spec

// Arcade is an Arcade tool definition, in the members of the specified edition.
type Arcade struct {
	Edition     string            `json:"edition"` // specified, preview, sdk, engine or docs: what was read [C-33]
	Name        string            `json:"name"`
	FQN         string            `json:"fully_qualified_name"` // compared without case
	Description string            `json:"description,omitempty"`
	Toolkit     ArcadeToolkit     `json:"toolkit"`
	Parameters  []ArcadeParameter `json:"parameters"`
	Modes       []string          `json:"available_modes"`
	OutputText  string            `json:"output_description,omitempty"`
	OutputValue *ArcadeValue      `json:"output_value_schema,omitempty"`
	Secrets     []string          `json:"secrets,omitempty"` // key_id of each
	Auth        *ArcadeAuth       `json:"authorization,omitempty"`
	Behavior    *ArcadeBehavior   `json:"behavior,omitempty"` // of the sdk edition alone
	Deprecation string            `json:"deprecation,omitempty"`
}

// ArcadeToolkit is the set that a definition belongs to.
type ArcadeToolkit struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"` // free text; not every edition has one
}

// ArcadeParameter is one argument.
type ArcadeParameter struct {
	Name        string      `json:"name"`
	Required    bool        `json:"required"`
	Description string      `json:"description,omitempty"`
	Value       ArcadeValue `json:"value_schema"`
	Inferrable  bool        `json:"inferrable"` // true unless said [AT-P1]
}

// ArcadeValue is the schema of a value.
type ArcadeValue struct {
	Type  string   `json:"val_type"`                 // string, integer, number, boolean, json, array
	Inner string   `json:"inner_val_type,omitempty"` // of an array; "" is anything [C-34]
	Enum  []string `json:"enum,omitempty"`           // strings, whatever the type [C-35]
}

// ArcadeAuth is the account that a tool works with.
type ArcadeAuth struct {
	Word         string   `json:"word,omitempty"` // none or token, where it is no object
	ProviderID   string   `json:"provider_id,omitempty"`
	ProviderType string   `json:"provider_type,omitempty"`
	ID           string   `json:"id,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	OAuth2       bool     `json:"oauth2,omitempty"` // the member is there, with or without scopes
}

// ArcadeBehavior is what the sdk edition says of effects; nil members are unsaid.
type ArcadeBehavior struct {
	Operations  []string `json:"operations,omitempty"`
	ReadOnly    *bool    `json:"read_only,omitempty"`
	Destructive *bool    `json:"destructive,omitempty"`
	Idempotent  *bool    `json:"idempotent,omitempty"`
	OpenWorld   *bool    `json:"open_world,omitempty"`
}

// Accounts are the scopes of the account as "provider.scope", each once, in their
// order; one that asks for none has the scope "default". The provider is the one
// that is configured in Arcade [AT-P4], or the kind of provider.
func (a *Arcade) Accounts() []string {
	if a.Auth == nil || a.Auth.Word == "none" {
		return nil
	}
	provider := a.Auth.ProviderID
	for _, other := range []string{a.Auth.ID, a.Auth.ProviderType, a.Auth.Word} {
		if provider == "" {
			provider = other
		}
	}
	var all []string
	seen := map[string]bool{}
	for _, s := range a.Auth.Scopes {
		if s = provider + "." + s; !seen[s] {
			all, seen[s] = append(all, s), true
		}
	}
	if all == nil {
		all = []string{provider + ".default"}
	}
	return all
}
