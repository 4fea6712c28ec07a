// The tools of a file, served by the TypeScript SDK over stdio and answered in this
// process: nothing is verified, confined or recorded.
import { readFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'peer', version: '1' })
for (const t of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  // Every tool of this list has these inputs; the SDK takes them in this form.
  const inputSchema = {
    text: z.string().describe('The text to work on.'),
    times: z.number().int().default(1).describe('How many times it is done.'),
    loud: z.boolean().default(false).describe('Whether the answer is in capitals.'),
  }
  server.registerTool(t.name, { description: t.description, inputSchema }, ({ text, times }) => {
    const answer = { text, times, tool: t.name }
    return { structuredContent: answer, content: [{ type: 'text', text: JSON.stringify(answer) }] }
  })
}
await server.connect(new StdioServerTransport())
