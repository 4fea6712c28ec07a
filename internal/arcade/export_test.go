package arcade

import "time"

// Within bounds one request, for tests that do not wait for [limits.ArcadeTime].
func (c *Client) Within(d time.Duration) *Client { c.most = d; return c }
