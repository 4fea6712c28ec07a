package quarantine

// Reference is one thing outside of the file that its code names, wherever it
// stands, also in a function that nobody calls.
type Reference struct {
	Name   string `json:"name"`   // resolved and dotted: "os.environ.get", "builtins.open", "requests.Session"
	How    string `json:"how"`    // call, value, import, star, computed
	Detail string `json:"detail"` // what decides within one name, such as the mode of open; "" otherwise
	Place
}

func (c *factCheck) references(all []Reference) {
	c.count(len(all))
	for _, r := range all {
		c.place(r.Place)
		c.text(r.Name, r.Detail)
		c.word(r.How, "call", "value", "import", "star", "computed")
	}
}
