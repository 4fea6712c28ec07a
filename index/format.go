package index

// The numbers of bleve's segment format, zapx 17. They stand here because the
// package that has them brings a second reader and writer into the program;
// TestFormat compares them.
const (
	formatVersion   = 17
	formatChunkMode = 1026 // about 1024 postings in a chunk

	// What is described of a field: its dictionary, synonyms, shapes on the earth.
	sectionDictionary = 0
	sectionSynonyms   = 2
	sectionShapes     = 3

	optionIndexed = 1
	optionStored  = 2

	// In a dictionary, what stands for a list is its place, or itself if it is
	// of one document with impact 1.
	onlyMask  = 3 << 62
	onlyOne   = 2 << 62
	onlyBits  = 31
	onlyDocs  = 1<<onlyBits - 1
	fieldSize = 1 // length of a field, which bleve computes with and we do not
)

// only is a list of one document with impact 1.
func only(doc int) uint64 { return onlyOne | fieldSize<<onlyBits | uint64(doc)&onlyDocs }
