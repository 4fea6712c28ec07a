package manifest

// The rules of install manifests, numbered from here on: 700 the form, 71x who it
// is, 72x what is acquired, 73x how it is started and called, 74x schemas, 75x
// proof and revocation.
const (
	installForms rule = 1*tableSize + iota
	installEdition
	installNewer
	installID
	installVersion
	installLicense
	installPin
	installRef
	installDigest
	installPackage
	installPath
	installAddress
	installStart
	installTemplate
	installOddTemplate
	installSecret
	installSecretDefault
	installDefault
	installTwice
	installScopeTwice
	installScope
	installMCP
	installRegex
	installSchema
	installClosed
	installExample
	installUntold
	installSmokeAction
	installSmokeEffects
	installSmokeArguments
	installPointer
	installCondition
)

var installRules = [...]Rule{
	installForms % tableSize:   {"MAN-701", "the file does not fit the JSON Schema of its format", "mend it as the finding says", bad, bad, "TI-1"},
	installEdition % tableSize: {"MAN-702", "the manifest is of an edition that is not read", `write it by version 0.2, with "manifest_version": "0.2"`, bad, bad, "TI-P1"},
	installNewer % tableSize:   {"MAN-703", "a manifest of another edition has what version 0.2 has not, or lacks what it asks for", "change it when you write the manifest by version 0.2", note, note, "TI-P1"},

	installID % tableSize:      {"MAN-711", "the id cannot be the name of a tool in a registry", "use lower-case words joined by single hyphens, 3 to 48 characters, a letter first", bad, warn, "C-4"},
	installVersion % tableSize: {"MAN-712", "the version is not one of SemVer 2.0.0", `write three numbers without leading zeros, as in "1.0.0"`, bad, bad, "C-22"},
	installLicense % tableSize: {"MAN-713", "the license is neither an SPDX expression nor PROPRIETARY", "write the identifier of SPDX, as in MIT", bad, warn, "TI-P5"},

	installPin % tableSize:     {"MAN-721", "a package is not pinned to one version", `write "version_spec": "==1.2.3" for pip, "1.2.3" for npm`, bad, warn, "TI-23"},
	installRef % tableSize:     {"MAN-722", "a git reference is not a full SHA, so that another may stand there tomorrow", "write the 40 or 64 hexadecimal digits of the commit", bad, warn, "TI-P6"},
	installDigest % tableSize:  {"MAN-723", "an image is named without a digest, so that another may stand there tomorrow", "write it as name@sha256:…", bad, warn, "TI-P7"},
	installPackage % tableSize: {"MAN-724", "a text would be an option or an address to the program that acquires the tool", "write the plain name", bad, bad, "TI-20"},
	installPath % tableSize:    {"MAN-725", "a path leads out of what was acquired", "write a path below it, without .. and without / in front", bad, bad, "TI-32"},
	installAddress % tableSize: {"MAN-726", "an address is not one of https", "write it with https://", warn, warn, "TI-P8"},

	installStart % tableSize:         {"MAN-731", "what starts the tool does not fit what is called", "give an entrypoint for a program, an endpoint_url for a service, and not both", bad, bad, "TI-P10"},
	installTemplate % tableSize:      {"MAN-732", "a token of a template stands for nothing", "tokens are ${input.PATH} and ${env.NAME} in actions, and ${NAME} in headers and body of an http smoke", bad, bad, "TI-P19"},
	installOddTemplate % tableSize:   {"MAN-733", "a token stands where nothing is filled in, or where not every reader does it", "write the value itself", warn, warn, "C-25"},
	installSecret % tableSize:        {"MAN-734", "a secret would stand where other programs can read it", "send it in a header or as input on stdin, or let the tool read its environment", bad, bad, "TI-P20"},
	installSecretDefault % tableSize: {"MAN-735", "a secret has a default, which everybody can read", "remove the default", bad, bad, "TI-P15"},
	installDefault % tableSize:       {"MAN-736", "a default does not match the pattern of its variable", "mend one of them", warn, warn, "TI-P14"},
	installTwice % tableSize:         {"MAN-737", "two variables or two actions have one name", "rename one of them", bad, bad, "TI-P11"},
	installScopeTwice % tableSize:    {"MAN-738", "a resource stands twice in scopes", "join the two", warn, warn, "TI-P16"},
	installScope % tableSize:         {"MAN-739", "an action uses a scope that the manifest does not declare", "declare it in scopes, or remove it here", warn, warn, "TI-P30"},

	installMCP % tableSize:     {"MAN-741", "a tool of an MCP server is named, and the runtime is none", "write another kind of invocation or smoke, or the kind mcp-stdio or mcp-http", bad, bad, "TI-P25"},
	installRegex % tableSize:   {"MAN-742", "a pattern is not a regular expression of ECMAScript", "mend the pattern", bad, bad, "TI-P14"},
	installSchema % tableSize:  {"MAN-743", "the schema of an action is not JSON Schema 2020-12, or not whole in itself", "mend the schema", bad, bad, "TI-P26"},
	installClosed % tableSize:  {"MAN-744", "the schema of an input leaves open whether other members are allowed, so they are refused", `write "additionalProperties" to say so yourself`, note, note, "C-29"},
	installExample % tableSize: {"MAN-745", "an example does not fit the schema of its action", "mend the example or the schema", warn, warn, "TI-P39"},
	installUntold % tableSize:  {"MAN-746", "schemas or patterns cost so much that not everything was held against them", "make them simpler", warn, warn, "TI-P39"},

	installSmokeAction % tableSize:    {"MAN-751", "the smoke names an action that the manifest does not have", "name one of its actions", bad, bad, "TI-P35"},
	installSmokeEffects % tableSize:   {"MAN-752", "the smoke calls an action that changes something", "name an action whose side_effects are none or read", bad, bad, "TI-P35"},
	installSmokeArguments % tableSize: {"MAN-753", "the arguments of the smoke do not fit the input of its action", "mend the arguments", bad, bad, "TI-P35"},
	installPointer % tableSize:        {"MAN-754", "a key of json_pointer_equals is not a JSON Pointer", "write it as in /items/0/id, with ~0 for ~ and ~1 for /", bad, bad, "TI-P36"},
	installCondition % tableSize:      {"MAN-755", "a condition of the smoke says nothing about its kind, or there is none", "write conditions that can fail", warn, warn, "TI-P36"},
}

// ruleCodes are the words of rules that mean one thing each; a rule that means
// several gets its word where it is reported.
var ruleCodes = map[rule]string{
	badJSON: "json-invalid", tooDeep: "too-deep", tooManyNodes: "too-many-values", hugeNumber: "number-too-large",
	duplicateKey: "duplicate-key", caseVariant: "case-variant-key", byteOrderMark: "byte-order-mark", tooLarge: "too-large",

	installForms: "schema", installEdition: "manifest-version-unsupported", installNewer: "edition-difference",
	installID: "id-not-a-name", installVersion: "version-not-semver", installLicense: "license-not-spdx",
	installPin: "version-not-exact", installRef: "git-ref-not-sha", installDigest: "image-without-digest",
	installPackage: "package-name-invalid", installPath: "path-escapes", installAddress: "address-not-https",
	installSecret: "secret-in-argv", installSecretDefault: "secret-default", installDefault: "default-does-not-match",
	installScopeTwice: "duplicate-scope", installScope: "scope-undeclared",
	installMCP: "mcp-tool-on-non-mcp", installRegex: "regex-invalid", installClosed: "input-schema-closed",
	installExample: "example-invalid", installUntold: "not-everything-checked",
	installSmokeAction: "smoke-action-unresolved", installSmokeEffects: "smoke-action-has-side-effects",
	installSmokeArguments: "smoke-arguments-invalid", installPointer: "json-pointer-invalid", installCondition: "smoke-condition-idle",
}
