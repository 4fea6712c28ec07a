package spec

import "encoding/json"

// Deployment is what an install manifest says beyond the tool itself: how it is
// acquired, configured, proved to work and taken back. The fields follow the
// manifest, version 0.2.
type Deployment struct {
	ID          string     `json:"id"`    // as written; its hyphens are the underscores of the name [C-4]
	Title       string     `json:"title"` // tool.name
	Text        string     `json:"text,omitempty"`
	Homepage    string     `json:"homepage"`
	Author      Author     `json:"author,omitzero"`
	Kind        string     `json:"kind"` // runtime.kind [TI-18]
	Install     Artifact   `json:"install"`
	Command     []string   `json:"command,omitempty"` // entrypoint.command, never through a shell [TI-P9]
	Cwd         string     `json:"cwd,omitempty"`
	EndpointURL string     `json:"endpoint_url,omitempty"`
	Env         []EnvVar   `json:"env,omitempty"` // in the order in which they are asked for [TI-P11]
	Scopes      []Scope    `json:"scopes,omitempty"`
	Smoke       Smoke      `json:"smoke"`
	KillSwitch  KillSwitch `json:"kill_switch"`
	Cost        *Cost      `json:"cost,omitempty"`
	Support     Support    `json:"support,omitzero"`
}

// Author is who wrote a tool, by their own word.
type Author struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Artifact is what is to be acquired, and how; what belongs to other methods is empty [TI-19].
type Artifact struct {
	Method      string `json:"method"` // pip, npm, git, container, url
	Package     string `json:"package,omitempty"`
	VersionSpec string `json:"version_spec,omitempty"`
	URL         string `json:"url,omitempty"`
	Ref         string `json:"ref,omitempty"`
	Subpath     string `json:"subpath,omitempty"`
	Image       string `json:"image,omitempty"`
	SHA256      string `json:"sha256,omitempty"`
}

// EnvVar is one value that a person gives before the tool can run.
type EnvVar struct {
	Name      string  `json:"name"`
	Prompt    string  `json:"prompt"`
	Secret    bool    `json:"secret"`
	Required  bool    `json:"required"`
	Pattern   string  `json:"validation_regex,omitempty"` // ECMAScript, searched for [C-28]
	Default   *string `json:"default,omitempty"`
	ObtainURL string  `json:"obtain_url,omitempty"`
}

// Scope is one thing that a tool does in a person's name.
type Scope struct {
	Resource  string   `json:"resource"`
	Actions   []string `json:"actions"` // read, write, delete, send, execute, admin
	Rationale string   `json:"rationale"`
	Provider  string   `json:"provider_scope,omitempty"`
}

// Smoke is how an installation is proved to work; what belongs to other kinds is empty [TI-97].
type Smoke struct {
	Kind      string          `json:"kind"` // shell, http, mcp-tool-call, action-call
	Command   []string        `json:"command,omitempty"`
	Method    string          `json:"method,omitempty"`
	URL       string          `json:"url,omitempty"`
	Headers   []Header        `json:"headers,omitempty"`
	Body      string          `json:"body,omitempty"`
	Tool      string          `json:"tool_name,omitempty"`
	Action    string          `json:"action,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Timeout   int             `json:"timeout_seconds"` // 1 to 300, 30 unless said
	Success   Success         `json:"success"`
}

// Success is what must hold for a smoke run, all of it [TI-P36].
type Success struct {
	ExitCode   json.Number                `json:"exit_code,omitempty"` // "" is absent, which is 0 for shell
	HTTPStatus json.Number                `json:"http_status,omitempty"`
	Stdout     *string                    `json:"stdout_regex,omitempty"` // ECMAScript
	Body       *string                    `json:"body_regex,omitempty"`
	Equals     map[string]json.RawMessage `json:"json_pointer_equals,omitempty"` // RFC 6901 → value
	NoError    bool                       `json:"no_error_field,omitempty"`
}

// KillSwitch is how access is taken back; what belongs to other kinds is empty [TI-127].
type KillSwitch struct {
	Kind         string   `json:"kind"` // url, shell, manual
	URL          string   `json:"url,omitempty"`
	Command      []string `json:"command,omitempty"`
	Instructions string   `json:"instructions_url,omitempty"`
}

// Cost is what a tool costs, in US cents; nil is unsaid.
type Cost struct {
	InstallFee  json.Number `json:"install_fee_cents,omitempty"`
	MonthlyFee  json.Number `json:"monthly_fee_cents,omitempty"`
	UsageModel  string      `json:"usage_model,omitempty"`
	EstimateURL string      `json:"estimate_url,omitempty"`
}

// Support is where help is.
type Support struct {
	Issues        string `json:"issues_url,omitempty"`
	SecurityEmail string `json:"security_email,omitempty"`
	Docs          string `json:"docs_url,omitempty"`
}
