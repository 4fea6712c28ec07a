package cli

import (
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// printAnnotations prints findings as commands of GitHub Actions, each of which
// becomes a remark beside its line. Nothing else is printed then: a line of a
// stranger's file could be a command itself.
func (a *app) printAnnotations(of string, fs []spec.Finding) {
	for _, f := range fs {
		f = placed(of, f)
		command := map[spec.Severity]string{spec.SeverityError: "error", spec.SeverityWarning: "warning", spec.SeverityNote: "notice"}[f.Weight()]
		message := f.Message
		if f.Fix != "" {
			message += "; fix: " + f.Fix
		}
		if f.Waived != (spec.Waived{}) {
			message += "; waived by " + f.Waived.Approver + " until " + string(f.Waived.Until) + ": " + f.Waived.Reason
		}
		place := "file=" + property(f.File)
		if f.Line > 0 {
			place += ",line=" + strconv.Itoa(f.Line)
		}
		if f.Col > 0 {
			place += ",col=" + strconv.Itoa(f.Col)
		}
		a.out.printf("::%s %s,title=%s::%s\n", command, place, property(f.ID), inCommand(message))
	}
}

// inCommand makes a text fit for the message of a command: one line, in which
// the runner puts the line breaks back.
func inCommand(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(sanitize.ForTerminal(text))
}

// property is inCommand for a parameter, which a comma and a colon end.
func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(inCommand(text))
}
