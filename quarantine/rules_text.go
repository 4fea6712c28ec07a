package quarantine

// The rules about text.
var (
	hiddenText = &Rule{
		ID: "TXT-001", Severity: bad, Waiver: WaiverNone,
		What:   "text holds characters that a reader does not see",
		Why:    "models and programs read what people cannot review",
		Fix:    "remove the characters, or write them as escapes where code needs them",
		Source: "TXT-001, PM-12",
	}
	misreadText = &Rule{
		ID: "TXT-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text holds words that read as something else",
		Why:    "letters of other alphabets and styles imitate a word that filters and people look for",
		Fix:    "write the word in the letters of one script",
		Source: "TXT-002, PM-12",
	}
)

var textRules = []*Rule{hiddenText, misreadText}
