// Package config holds what one user lets tools and AI hosts have as a rule:
// config.json in the state directory, mode 0600.
//
//	{
//	  "schema": 1,
//	  "registries": {"acme/tools": {"allow_read": ["/home/me/data"], "allow_write": []}},
//	  "tools": {"acme/tools/csv_to_json": {"allow_read": ["~/notes.txt"], "allow_write": []}},
//	  "mcp": {"expose": "auto", "pinned": ["acme/tools/csv_to_json"], "elicitation": "off"}
//	}
//
// What stands there is as if it were typed for each run: for every tool of a
// registry, and besides that for one tool. A path is absolute, or begins with
// "~/" for the user's home, and is spelled without "..".
//
// "mcp" is what AI hosts see and may do; its members are the fields of [MCP].
//
// A file that is damaged, has an unknown or doubled member, or that others can
// read or write, is refused as a whole and never ignored: nobody would notice
// that half of it counts.
package config
