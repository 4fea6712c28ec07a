// Package limits holds every cap on size, count, depth and time, so that the
// code that writes a thing and the code that reads it agree on one number.
package limits

import "time"

const (
	// MiB is 2^20 bytes.
	MiB = 1 << 20
	// KiB is 2^10 bytes.
	KiB = 1 << 10
)

// What a registry holds (design §3).
const (
	ToolFile     = 256 * KiB // one main file
	ReleaseBytes = 2 * MiB   // all files of a release
	ReleaseFiles = 200
	SkillScripts = 50       // Python scripts of a skill, each of which is parsed
	SourceScan   = 10 * MiB // a local file larger than this is not read at all
	Waivers      = 100      // of one name
	WaiverDays   = 180      // how long one holds
)

// Manifests.
const (
	ManifestBytes    = 64 * KiB // the frontmatter alone
	ManifestDepth    = 32       // nesting of YAML and JSON
	ManifestNodes    = 10_000
	ManifestProblems = 100 // problems reported for one file
	Description      = 1024
	Inputs           = 64
	InputName        = 64
	SummaryInput     = 200 // characters that a catalogue has of the description of an input
	Packages         = 64
	Permissions      = 16 * KiB // what a tool asks for, as records and lists repeat it
	Examples         = 10       // requests that a tool says it serves
	Example          = 200      // characters of one
	FewExamples      = 3        // that a tool should have
	Tags             = 8
	Aliases          = 5
)

// Documents of a published tree.
const (
	Document    = 4 * MiB   // any single JSON document but the catalogue
	Bundle      = 256 * KiB // evidence, before it is parsed
	Timestamp   = 16 * KiB  // in a bundle: a signature and the certificates to it
	DERDepth    = 32        // nesting of a timestamp
	TrustedRoot = 1 * MiB   // trusted_root.json or signing_config.json of a Sigstore instance
	Catalogue   = 128 * MiB // search/tools.json: a hundred thousand tools of 1 KiB
	Listing     = 96 * KiB  // one line of it
	Tile        = 64 * KiB  // one hash tile is at most 8 KiB
	EntryTile   = 256 * 64 * KiB
	LogEntry    = 65_535  // the entry bundle has a 16-bit length
	LogSize     = 1 << 40 // entries; the log's arithmetic does not end near 2^63
	Proof       = 64      // hashes in an inclusion proof
	BatchSeal   = 100_000
	// LogRead is how many entries of a log are held at once.
	LogRead = 1 << 22
	// AuditProblems is how many problems an audit lists, and how many files
	// that cannot be read make it stop.
	AuditProblems = 100
	RegistryName  = 100
	Owners        = 32  // of one tool
	Login         = 100 // characters; GitHub's have 39 at most
)

// What a search is brought up to date with.
const (
	PatchedStates  = 20        // catalogues before the present one that a patch leads on from
	CataloguePatch = 8 * MiB   // packed
	ServedStates   = 64 * MiB  // packed catalogues that a served folder keeps to make patches of
	IndexSegment   = 256 * MiB // a search index
	IndexPacked    = 128 * MiB // the same as it comes
	IndexHere      = 16 * MiB  // a catalogue up to this is indexed here sooner than its index is fetched
	IndexWords     = 1_000_000 // different ones in a catalogue that an index is made of
	IndexTime      = 30 * time.Second
	IndexMemory    = 4 << 30 // address space of who examines one, which a Go program reserves more of than it uses
)

// Web pages of a registry.
const (
	SitePage   = 30_000    // bytes of the page of a tool or of a version
	SiteSource = 3 * MiB   // of the page of a source, as HTML
	SiteLines  = 20_000    // of it
	SiteDiff   = 256 * KiB // of the sources, as the page of a difference shows them
)

// Network.
const (
	HTTPRedirects  = 5
	HTTPParallel   = 16
	HTTPAttempts   = 3
	HTTPTimeout    = 30 * time.Second
	GitTimeout     = 5 * time.Minute
	PushAttempts   = 5                  // to publish where others push at the same time
	HeadStaleAfter = 3 * 24 * time.Hour // a head older than this earns a warning
	TUFMetadata    = 5 * MiB            // one metadata file of a TUF repository
	TUFTime        = 5 * time.Minute    // a whole refresh of the trusted root
	// TrustStaleAfter is how old a trusted root may be before doctor says so.
	TrustStaleAfter = 180 * 24 * time.Hour
)

// Arguments and results of a run.
const (
	Arguments = 8 * MiB
	JSONDepth = 200
	Stdout    = 8 * MiB
	Stderr    = 1 * MiB
)

// The sandbox, unless the person says otherwise.
const (
	RunTime      = 30 * time.Second
	RunMemory    = 2 << 30 // bytes over the whole process tree
	RunProcesses = 64
	RunFiles     = 256      // open descriptors
	RunFileSize  = 64 * MiB // one file written
	RunScratch   = 64 * MiB // the private /tmp
)

// What a conversation has read, for the sake of taint.
const (
	TaintSegment  = 768 * KiB // squeezed text that is forgotten at once
	TaintSegments = 6         // of untrusted text; then the oldest goes
	TaintTrusted  = 2         // segments of text that is vouched for
	TaintOutputs  = 4096      // in one segment
	TaintWords    = 64 * KiB  // short ones in one segment
	TaintPart     = 64 * KiB  // of one text that is read at once
	TaintPaths    = 4096      // leaves of one output whose place is kept
	TaintGiven    = 1 * MiB   // of the arguments of one call that is looked for
	TaintScan     = 64 * MiB  // of history that one call is compared with letter by letter
	TaintMatches  = 64        // values that one verdict lists
	TaintShown    = 200       // characters of one of them
)

// What hosts report of a conversation.
const (
	Notes       = 64       // that are kept
	NoteText    = 64 * KiB // of one
	NoteParts   = 32       // that one report is cut into
	NoteOverlap = 256      // bytes that two parts of a report share
	NoteInput   = 8 * MiB  // that is read of a report
	NoteFrom    = 200      // bytes of the name of who answered
	NoteLife    = 12 * time.Hour
	NoteBefore  = time.Hour // before a server first looks
)

// Files of the user's that a run is given.
const (
	// GrantEntries, GrantDepth and GrantTime bound the search for secrets in
	// what one run is given; what was not searched is told.
	GrantEntries = 200_000
	GrantDepth   = 64
	GrantTime    = 2 * time.Second
	GrantHidden  = 512 // secrets that one run hides, each by a mount
	GrantPaths   = 64  // paths that one run is given
	Config       = 256 * KiB
	ConfigPaths  = 64 // paths of one kind for one tool or registry
)

// What a user may set for AI hosts.
const (
	ConfigTools     = 256       // tools in one list
	MCPTools        = 10_000    // told by name
	MCPTokens       = 1_000_000 // spent on telling them
	ApprovalMinutes = 10        // a held call waits
	RememberDays    = 365       // an approved value is good
	KeepRunsDays    = 3650
)

// Configuration files of AI hosts. One of them keeps its whole history in it.
const (
	HostFile  = 64 * MiB
	HostDepth = 500 // brackets within brackets
	HostTries = 5   // to write a file that its host is writing too
)

// Parsing a Python source with CPython's own parser.
const (
	ParseTime   = 10 * time.Second
	ParseCPU    = 3 * time.Second
	ParseMemory = 1 << 30
)

// Python packages.
const (
	WheelBytes   = 256 * MiB // one wheel as downloaded
	WheelContent = 1 << 30   // one wheel unpacked
	WheelFiles   = 20_000
	WheelRatio   = 200 // unpacked to packed, beyond the first MiB
	ClosureBytes = 2 * MiB
	ClosureItems = 512 // wheels per target
	Download     = 10 * time.Minute
)

// Interpreters that are downloaded or embedded.
const (
	PythonArchive = 192 * MiB // as downloaded; the largest of the table is far below
	PythonContent = 1 << 30   // unpacked, with what is left out
	PythonMembers = 50_000
	PythonPins    = 64 * KiB
	// PythonStaleAfter is how old an embedded interpreter may be before doctor
	// says so: CPython mends security faults every few months.
	PythonStaleAfter = 180 * 24 * time.Hour
)

// State of one user.
const (
	// Pin is more than what is kept of one registry can need: a head with its
	// evidence and its list of revoked releases, and a Sigstore instance, all of
	// the largest size and in base64.
	Pin      = 16 * MiB
	LockWait = 30 * time.Second
	// VerifiedFor is how long a server believes what it verified, even where no file
	// of it has changed, and VerifiedBytes how much of it is held.
	VerifiedFor   = 10 * time.Minute
	VerifiedBytes = 32 * MiB
)

// Records of runs.
const (
	AuditInline   = 64 * KiB               // of a stream, or of a record, that waits in a segment for its file
	AuditSegment  = 16 * MiB               // a segment that is not waited with any longer
	AuditSegments = 256 * MiB              // of which no process makes a larger one
	AuditClose    = time.Second            // for what waits to become files, when a server ends
	AuditCommit   = 500 * time.Millisecond // after which what was recorded goes to the disk
)

// The network of a tool.
const (
	NetFlows     = 256              // TCP connections at a time, and as many UDP conversations
	NetHalfOpen  = 64               // connections that wait for the other side
	NetConnect   = 10 * time.Second // for one connection to be accepted
	NetIdle      = 5 * time.Minute  // a connection on which nothing moves
	NetIdleUDP   = 30 * time.Second // a conversation in which nobody speaks
	NetBuffer    = 256 * KiB        // each way of a connection
	NetAllow     = 64               // exceptions of one run
	NetNames     = 64               // addresses of one excepted name
	NetLookup    = 5 * time.Second  // for one excepted name to be found
	NetFresh     = time.Second      // how long what was found is not asked for again
	NetQuery     = 4 * KiB          // a question to the name servers
	NetQueries   = 32               // questions at a time
	NetQueryRate = 100              // questions in a second, and in a burst
	NetAnswer    = 3 * time.Second  // for one name server to answer
	NetVisits    = 64               // places that a record lists for one run
	NetClose     = time.Second      // how long the last packets of a connection are waited for
)

// GitHub's interface. What GitHub itself sets stands beside ours.
const (
	GitHubAnswer   = 32 * MiB         // one answer: a page of comments of the largest size
	GitHubTimeout  = 2 * time.Minute  // for one request and its whole answer
	GitHubAttempts = 5                // of one request, beside the waits that GitHub asks for
	GitHubPatience = 15 * time.Minute // all waits since a request last went through at once
	GitHubPages    = 100              // of one list
	GitHubFork     = 5 * time.Minute  // for a fork to be there
	GitHubComment  = 65_536           // characters of a comment or an issue (GitHub's); we count bytes, which are never fewer
	GitHubOutput   = 65_535           // of the summary and of the text of a check (GitHub's)
	GitHubLabel    = 50               // characters of a label's name (GitHub's)
	GitHubNotes    = 50               // annotations in one request (GitHub's)
	GitHubReruns   = 50               // attempts of one run (GitHub's)
	// GitHubRerunAge is how old a run may be and still be run again (GitHub's).
	GitHubRerunAge = 30 * 24 * time.Hour
	GitHubToken    = 4 * KiB
	GitHubLogin    = 64 * KiB // an answer of the device flow
	PullFiles      = 1000     // changed files of one pull request; GitHub lists at most 3000
	PullFolders    = 400      // folders of its head that are read for them
	PullCommits    = 50       // of one pull request
)

// Pull requests.
const (
	PolicyWait    = 365 * 24 * time.Hour // that a new name may be made to wait
	PolicyUpdates = 1000                 // of one author in a day, merged without a person
	TransferWait  = 7 * 24 * time.Hour   // in which a change of owners can be objected to
	Review        = 8 * MiB              // review.json
	DiffBytes     = 128 * KiB            // of the sources, as it is shown
	DiffEdits     = 1000                 // lines that a shortest diff is looked for
	DiffContext   = 3                    // lines around a change
)

// Workflows of a registry on GitHub.
const (
	Event        = 25 * MiB            // what a workflow was started for (GitHub's)
	Reviewers    = 50                  // people who are asked about for one pull request
	Proposals    = 20                  // issues about tools that are opened in one night
	Waiting      = 60                  // pull requests that are reviewed again in one night
	WaitingEach  = 5                   // of those, by one author
	RescanBad    = 200                 // versions that would be refused, which one night tells of
	RescanTold   = 20                  // findings that are told of one of them
	StaleAfter   = 30 * 24 * time.Hour // a pull request on which nothing moves is spoken to
	StaleClose   = 14 * 24 * time.Hour // and then closed
	RefreshAfter = 12 * time.Hour      // a head of this age is signed anew though nothing is new
)

// The judge, a model that reads what a stranger wrote.
const (
	JudgeText       = 64 * KiB         // of one entry, all its files together
	JudgeRequests   = 20               // for one entry, the canaries among them
	JudgeTime       = 60 * time.Second // for one request and its whole answer
	JudgeTries      = 3                // of one request to a provider that is busy
	JudgePause      = 20 * time.Second // that it may ask for before the next; above it nobody waits
	JudgeParallel   = 2                // requests at a time; a small machine answers one after the other
	JudgeLines      = 60               // of one unit of prose
	JudgeOverlap    = 10               // lines that two units of prose share
	JudgeTokens     = 2000             // of one answer
	JudgeAnswer     = 256 * KiB        // an answer as it comes, with what the provider adds
	JudgeVerdict    = 16 * KiB         // what the model itself wrote of it
	JudgeFindings   = 50               // in one answer
	JudgeKey        = 4 * KiB
	JudgeModel      = 200    // characters of a model's name
	SummaryText     = 50_000 // characters that are summarized at once
	SummaryTokens   = 500
	SummaryMost     = 1000 // characters of a summary
	SummaryVerbatim = 12   // words in a row that it may share with the text
)

// What waits for a person's word.
const (
	ApprovalWait    = 5 * time.Minute     // for the word
	ApprovalGood    = 5 * time.Minute     // of an approval, to be used
	ApprovalLongest = 30 * time.Minute    // that a configuration can make of either
	ApprovalKept    = 24 * time.Hour      // what was decided, for a person to look at
	ApprovalsKept   = 100                 // of it, and of what ran out
	ApprovalSpent   = 24 * time.Hour      // the mark of what was used, which outlives the approval
	ApprovalsHeld   = 64                  // at a time
	ApprovalsOfOne  = 16                  // of them, by one session
	ApprovalsDenied = 3                   // calls of one tool that one session is told no to, before it is not asked about any more
	ApprovalShown   = 240                 // characters of a value that are shown whole
	ArgsSummary     = 200                 // characters of all arguments that a model is told
	Remember        = 30 * 24 * time.Hour // a value that a person said yes to
	RememberLongest = 365 * 24 * time.Hour
	PageLife        = 15 * time.Minute // of the page on which a person decides, and of a link to it
	PageRequest     = 16 * KiB         // the header of a request to it, and its body
	PageTime        = 10 * time.Second // for one request and its answer
	BellPause       = 20 * time.Second // between two notifications
	SealedLife      = 5 * time.Minute  // of the state that a client keeps between two rounds of a request
	SealedState     = 4 * KiB
	ClockSkew       = 2 * time.Second // that a clock may have been set back
)
