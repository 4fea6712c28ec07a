package sandbox_test

// opening is an attempt that does get something, and why that is accepted.
type opening struct {
	why string
	// race says that it depends on who is faster, or on what the host has, so
	// that it may fail.
	race bool
}

// openings are all that is open, by driver and, after a slash, by user. The
// reasons are what the table says.
var openings = map[string]map[string]opening{
	"namespaces": {
		"mount_paths":    {why: "the paths of what is mounted can be seen"},
		"memory_let_go":  {why: notCounted, race: true},
		"memory_sockets": {why: notCounted, race: true},
	},
	"namespaces/" + asRootedColumn: {
		"fork_bomb":      {why: countedOnly, race: true},
		"thread_bomb":    {why: countedOnly, race: true},
		"fork_and_leave": {why: countedOnly, race: true},
	},
	"bubblewrap": {
		"mount_paths":        {why: "the paths of what is mounted can be seen"},
		"sysctl_read":        {why: wholeProc},
		"machine":            {why: wholeProc},
		"kallsyms":           {why: wholeProc},
		"fill_scratch_names": {why: namesNotLimited},
		"fill_shm_names":     {why: namesNotLimited},
		"memory_let_go":      {why: notCounted, race: true},
		"memory_sockets":     {why: notCounted, race: true},
	},
	"bubblewrap/" + asRootedColumn: {
		"fork_bomb":      {why: countedOnly, race: true},
		"thread_bomb":    {why: countedOnly, race: true},
		"fork_and_leave": {why: countedOnly, race: true},
	},
	"landlock": {
		"stat_secret":               {why: metadataSeen},
		"readlink_outside":          {why: metadataSeen},
		"see_host_program":          {why: metadataSeen},
		"statfs_outside":            {why: metadataSeen},
		"see_process":               {why: processSeen},
		"see_process_by_kill":       {why: processSeen},
		"see_process_by_descriptor": {why: processSeen},
		"read_host_name":            {why: "there is one name"},
		"fill_scratch":              {why: "each file is limited, their sum is not"},
		"fill_scratch_names":        {why: "each file is limited, their sum is not"},
		"memory_let_go":             {why: notCounted, race: true},
		"memory_sockets":            {why: notCounted, race: true},
		"fork_bomb":                 {why: burst, race: true},
		"thread_bomb":               {why: burst, race: true},
		"fork_and_leave":            {why: burst, race: true},
	},
	"landlock/" + asUserColumn: {
		"bounding": {why: "kept by an ordinary user, who cannot use it under no_new_privs"},
	},
}

// openingsOnline are what is open to a tool with the network, besides that.
var openingsOnline = map[string]opening{
	"name_a_pair": {why: "a tool with the network may name its sockets", race: true},
}

const (
	notCounted      = "memory that no process has mapped is only counted by a control group"
	countedOnly     = "root's processes are counted from outside, so a burst comes before its end"
	burst           = "a burst comes before its end, up to four times the limit for all but root"
	wholeProc       = "the whole of /proc can be read"
	namesNotLimited = "bytes are limited, names are not"
	metadataSeen    = "what can be told of a file without opening it"
	processSeen     = "that a process exists can be seen, its group and its session"
)
