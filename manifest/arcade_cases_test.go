package manifest

import (
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// brokenArcades are definitions that break one rule each, by its id; TestEveryRule
// holds the table against them.
func brokenArcades() map[string]string {
	put := func(old, now string) string { return strings.Replace(whole, old, now, 1) }
	parameter := `{"name": "any", "required": false, "value_schema": {"val_type": "array", "inner_val_type": null}},`
	var many strings.Builder
	for i := range limits.Inputs {
		fmt.Fprintf(&many, `{"name": "p%d", "required": false, "value_schema": {"val_type": "string"}},`, i)
	}
	account := `{"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}`
	return map[string]string{
		"MAN-901": "[" + whole + "]",
		"MAN-902": put(`"name": "SendEmail"`, `"x_extra": 1, "name": "SendEmail"`),
		"MAN-911": put(`"key_id"`, `"key"`),
		"MAN-912": put(`worker-http/1.0`, `worker-http/2.0`),
		"MAN-913": put(`"requirements": {`, `"requirements": {"metadata": [{"key": "client_id"}], `),
		"MAN-914": put(`"name": "SendEmail"`, `"x_extra": 1, "name": "SendEmail"`),
		"MAN-915": put(`"name": "SendEmail",`, ``),
		"MAN-916": put(`"required": true, `, ``),
		"MAN-921": put(`"SendEmail",`, `7,`),
		"MAN-922": put(`"val_type": "json"`, `"val_type": "text"`),
		"MAN-923": put(`, "inner_val_type": null`, ``),
		"MAN-924": put(`["1", "2"]`, `["one"]`),
		"MAN-925": put(`"RELAY"`, `""`),
		"MAN-931": strings.NewReplacer(`"SendEmail"`, `"---"`, `"Gmail.SendEmail"`, `"Gmail.---"`).Replace(whole),
		"MAN-932": strings.NewReplacer(`"SendEmail"`, `"Größe"`, `"Gmail.SendEmail"`, `"Gmail.Größe"`).Replace(whole),
		"MAN-933": put(`"Gmail.SendEmail"`, `"Bank.Pay"`),
		"MAN-934": put(`"1.2.3"`, `"2024-01"`),
		"MAN-935": put(`"name": "any"`, `"name": "a b"`),
		"MAN-936": put(`"name": "any"`, `"name": "to"`),
		"MAN-937": put(parameter, many.String()),
		"MAN-938": put(`"description": "Send an e-mail. Use it when somebody is to be told.",`, ``),
		"MAN-939": put(account, "["+account+","+strings.Replace(account, "google", "github", 1)+"]"),
	}
}
