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
	hiddenPassage = &Rule{
		ID: "TXT-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text holds a passage that a page does not show",
		Why:    "a model reads comments, hidden elements and what stands far below; a person does not",
		Fix:    "say it openly or remove it",
		Source: "TXT-003",
	}
	encodedText = &Rule{
		ID: "TXT-004", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text holds a passage that is encoded",
		Why:    "a model decodes what a person skips over",
		Fix:    "write plain words, and keep data out of descriptions",
		Source: "TXT-004",
	}
	descriptionGrammar = &Rule{
		ID: "TXT-005", Severity: bad, Waiver: WaiverAuthor,
		What:   "a description is not one paragraph of plain sentences about the tool",
		Why:    "models read a description whenever they choose a tool, so it says what the tool does and nothing else",
		Fix:    "say in plain words what the tool does, and put instructions, commands, paths and contacts into README.md",
		Source: "TXT-005, PM-11",
	}
	renderedOtherwise = &Rule{
		ID: "TXT-006", Severity: warn, Waiver: WaiverMaintainer,
		What:   "text reads otherwise on a page than as it stands",
		Why:    "a person sees the page and a model the text",
		Fix:    "let a link show where it leads, and leave pictures and footnotes out of descriptions",
		Source: "TXT-006",
	}
	badURL = &Rule{
		ID: "MAN-004", Severity: bad, Waiver: WaiverMaintainer,
		What:   "the manifest holds an address that does not tell where it leads or can be changed on the way",
		Why:    "who follows it cannot know who answers",
		Fix:    "give the https address of a named host, without user name or shortener",
		Source: "MAN-004",
	}
)

var textRules = []*Rule{hiddenText, misreadText, hiddenPassage, encodedText, descriptionGrammar, renderedOtherwise, badURL}
