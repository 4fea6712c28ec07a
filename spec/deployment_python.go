package spec

import "strings"

// InstallPython is the version of Python that the packages of an install manifest are
// resolved for, and that its scripts run on: the manifest has no word for it.
const InstallPython = "3.12"

// Packages are what is resolved and signed for a tool when it is accepted: those of a
// Patch tool, and the one that an install manifest of the method pip names in one
// version. python is the version that they are for.
func (t *Tool) Packages() (packages []string, python string) {
	if t.Deployment == nil {
		return t.Runtime.Packages, t.Runtime.PythonVersion
	}
	a := t.Deployment.Install
	if version, exact := strings.CutPrefix(a.VersionSpec, "=="); a.Method == "pip" && exact && !strings.ContainsAny(version, "*, ") {
		return []string{a.Package + a.VersionSpec}, InstallPython
	}
	return nil, ""
}
