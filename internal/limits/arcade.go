package limits

import "time"

// Arcade.
const (
	ArcadeFile        = 128 * MiB // of definitions that are read for import at once
	ArcadeDefinitions = 100_000   // in one file
	ArcadeAnswer      = Stdout    // of the execute endpoint
	ArcadeTime        = 2 * time.Minute
	ArcadeWait        = 59 // seconds that one request for the state of an authorization waits
	ArcadeKey         = 4 * KiB
	ArcadeUser        = 256 // bytes of a user's id
	ArcadePage        = 100 // definitions that one answer lists
)
