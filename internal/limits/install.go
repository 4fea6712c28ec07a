package limits

import "time"

// Tools that are install manifests: their secrets, and what they are made of.
const (
	URL          = 2048             // characters of an address
	EnvName      = 128              // characters of a variable's name
	EnvValue     = 16 * KiB         // of one value
	EnvTries     = 3                // for one value that does not match its pattern
	SecretsFile  = 1 * MiB          // all secrets of one user
	KeyringWait  = 60 * time.Second // for a keyring that asks its person to unlock it
	KeyringProbe = 3 * time.Second  // for one that is asked whether it is there

	Artifact      = 512 * MiB        // one file that is downloaded
	PrefixBytes   = 2 << 30          // all files of an installed tool
	PrefixFiles   = 200_000          // of them
	ProvisionTime = 30 * time.Minute // for all of one installation
	SmokeStdout   = 1 * MiB          // that is looked at of what a smoke run answers
	SmokeTime     = 30               // seconds of a smoke run whose manifest says nothing
	SmokeLongest  = 300              // seconds of any
	KillTime      = 60 * time.Second // for a kill switch
	EngineEnd     = 20 * time.Second // for an engine to take a container away
)
