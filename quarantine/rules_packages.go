package quarantine

// The rules about the packages that a tool asks for.
var (
	unknownPackage = &Rule{
		ID: "DEP-001", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a package of runtime.packages is none of the known ones",
		Why:    "anybody can upload a name that is free, and what it holds runs beside the tool; malicious packages have such names",
		Fix:    "do it without the package or with a known one, or ask a maintainer to look at the package",
		Source: "DEP-001",
	}
	lookalike = &Rule{
		ID: "DEP-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a package of runtime.packages is not known and reads like one that is",
		Why:    "names near to known ones are uploaded for who mistypes, and reviewers read over them too",
		Fix:    "write the name of the package that is meant",
		Source: "DEP-002",
	}
	notExact = &Rule{
		ID: "DEP-003", Severity: bad, Waiver: WaiverNone,
		What:   "an entry of runtime.packages is more or less than a name and an exact version",
		Why:    "a range, a URL, a path, extras or a marker install something else tomorrow or elsewhere than what was looked at",
		Fix:    "write name==1.2.3; the lock with the hashes of all wheels is made when the tool is accepted",
		Source: "DEP-003, PM-42",
	}
)

var packageRules = []*Rule{unknownPackage, lookalike, notExact}
