package spec

import "encoding/json"

// Skill is what a SKILL.md says beyond the tool itself. The fields of ADR-002
// are empty where manifest_version is absent: such a skill declares nothing [C-39].
type Skill struct {
	Name            string               `json:"name"`             // as written; its hyphens are the underscores of the tool's name [C-4]
	ManifestVersion string               `json:"manifest_version"` // "" is the legacy format
	Required        []SkillInput         `json:"required,omitempty"`
	Optional        []SkillInput         `json:"optional,omitempty"`
	EnvRequired     []SkillEnv           `json:"env_required,omitempty"`
	EnvOptional     []SkillEnv           `json:"env_optional,omitempty"`
	Commands        []SkillCommand       `json:"commands,omitempty"`
	Files           []SkillFile          `json:"files,omitempty"`
	Outputs         []SkillOutput        `json:"outputs,omitempty"`
	Artifacts       []json.RawMessage    `json:"artifacts,omitempty"` // free [SK-32]
	Execution       SkillExecution       `json:"execution"`
	Sensitive       bool                 `json:"sensitive"`
	Compatibility   string               `json:"compatibility,omitempty"`
	AllowedTools    []string             `json:"allowed_tools,omitempty"`
	Metadata        map[string]string    `json:"metadata,omitempty"`
	Other           map[string]SkillText `json:"other,omitempty"` // fields of nobody's format, as JSON
	Body            int                  `json:"-"`               // byte offset where the instructions begin
}

// SkillText is a value of the frontmatter as JSON.
type SkillText = json.RawMessage

// SkillInput is one input of a skill.
type SkillInput struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of the subset of ADR-002 [SK-10…17]
	Sensitive   bool            `json:"sensitive"`
}

// SkillEnv is one environment variable that a skill reads.
type SkillEnv struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Sensitive   bool   `json:"sensitive"`
}

// SkillCommand is a program that must be there; versions are compared by number [SK-22].
type SkillCommand struct {
	Cmd string `json:"cmd"`
	Min string `json:"min_version,omitempty"`
	Max string `json:"max_version,omitempty"`
}

// SkillBase is what a path of a skill is relative to.
type SkillBase string

// The bases [SK-26…28].
const (
	SkillRoot SkillBase = "skill_root"
	RepoRoot  SkillBase = "repo_root"
	WorkDir   SkillBase = "cwd"
)

// SkillFile is a file that must be there.
type SkillFile struct {
	Path        string    `json:"path"`
	Base        SkillBase `json:"base"` // skill_root unless said
	Description string    `json:"description,omitempty"`
}

// SkillOutput is a file that a skill makes; the pattern holds tokens {{input}} [SK-30].
type SkillOutput struct {
	Pattern     string    `json:"pattern"`
	Base        SkillBase `json:"base"` // repo_root unless said
	Description string    `json:"description,omitempty"`
}

// SkillExecution are hints, which nothing enforces [SK-35].
type SkillExecution struct {
	Idempotent  bool    `json:"idempotent"`
	Destructive bool    `json:"destructive"`
	Network     bool    `json:"network"`
	Interactive bool    `json:"interactive"`
	Timeout     float64 `json:"timeout,omitempty"` // seconds, 0 is unsaid
}
