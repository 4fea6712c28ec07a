package manifest

import "strings"

// arcadeBreaks are definitions of which each breaks some of the rules, together all.
func arcadeBreaks() []string {
	swap := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(whole) }
	const account = `{"provider_id": "google", "provider_type": "oauth2", "id": "g1", "oauth2": {"scopes": ["https://mail/send"]}}`
	return []string{
		whole, sdk, "[" + whole + "]",
		swap(`"name": "SendEmail"`, `"name": "SendEmail", "odd": 1`),
		swap(`worker-http/1.0`, `worker-http/2.0`),
		swap(`"name": "SendEmail",`, ``),
		swap(`"required": true`, `"required": "true"`),
		swap(`"val_type": "json"`, `"val_type": "words"`),
		swap(`, "inner_val_type": null`, ``),
		swap(`"enum": ["1", "2"]`, `"enum": ["one"]`),
		swap(`"RELAY"`, `""`),
		swap(`"name": "SendEmail"`, `"name": "!!"`, `"Gmail.SendEmail"`, `"Gmail.!!"`),
		swap(`SendEmail`, strings.Repeat("SendEmail", 9)),
		swap(`"Gmail.SendEmail"`, `"Bank.Pay"`),
		swap(`"1.2.3"`, `"2024-01"`),
		swap(`"name": "any"`, `"name": "a b"`),
		swap(`"name": "any"`, `"name": "to"`),
		swap(`"parameters": [`, `"parameters": [`+strings.Repeat(`{"name": "p", "required": true, "value_schema": {"val_type": "string"}},`, 70)),
		swap(`"description": "Send an e-mail. Use it when somebody is to be told.",`, ``),
		swap(account, "["+account+","+account+"]"),
		swap(`"output": {`, `"output_": {`),
	}
}
