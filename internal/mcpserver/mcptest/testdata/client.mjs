// What a host made of the TypeScript SDK does with the server: the client of its
// version 1, which shakes hands, and that of version 2 in both eras.
//
//   node client.mjs PROGRAM STATE
import assert from 'node:assert/strict'
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { Client as Second } from '@modelcontextprotocol/client'
import { StdioClientTransport as SecondStdio } from '@modelcontextprotocol/client/stdio'

const [program, state] = process.argv.slice(2)
const start = { command: program, args: ['mcp'], env: { ...process.env, PATCH_GIT_HOME: state }, stderr: 'inherit' }
const who = { name: 'mcptest', version: '1' }
const can = { capabilities: { elicitation: { form: {} } } }

const clients = {
  'version 1': () => [new First(who, can), new FirstStdio(start)],
  'version 2, legacy': () => [new Second(who, { ...can, versionNegotiation: { mode: 'legacy' } }), new SecondStdio(start)],
  'version 2, modern': () => [new Second(who, { ...can, versionNegotiation: { mode: { pin: '2026-07-28' } } }), new SecondStdio(start)],
}

for (const [name, make] of Object.entries(clients)) {
  const [client, transport] = make()
  const asked = []
  client.setRequestHandler(name === 'version 1' ? ElicitRequestSchema : 'elicitation/create', (r) => {
    asked.push(r.params.message)
    return asked.length === 1 ? { action: 'decline' } : { action: 'accept', content: { approve: true } }
  })
  await client.connect(transport)
  assert.equal(client.getServerVersion().name, 'patch')

  const { tools } = await client.listTools()
  const names = tools.map((t) => t.name)
  for (const n of ['patch_list_tools', 'patch_run_tool', 'echo_text', 'add_numbers']) assert.ok(names.includes(n), `${n} of ${names}`)

  // The client holds a structured result against the output schema that was listed.
  const echo = await client.callTool({ name: 'echo_text', arguments: { text: 'grüße 𝒳 ', times: 2 } })
  assert.deepEqual(echo.structuredContent, { text: 'grüße 𝒳 grüße 𝒳 ', length: 16 })
  const meta = await client.callTool({ name: 'patch_run_tool', arguments: { name: 'echo_text', arguments: { text: 'a' } } })
  assert.deepEqual(meta.structuredContent, { text: 'a', length: 1 })
  const sum = await client.callTool({ name: 'add_numbers', arguments: { numbers: [1, 2.5] } })
  assert.equal(sum.content.at(-1).text, '3.5')
  const image = await client.callTool({ name: 'test_image_content', arguments: {} })
  assert.equal(image.content.at(-1).mimeType, 'image/png')

  // What is wrong is told to the model, and a tool that is none to the host.
  const failed = await client.callTool({ name: 'test_error_handling', arguments: {} })
  assert.equal(failed.isError, true)
  assert.match(failed.content[0].text, /intentionally returns an error/)
  const wrong = await client.callTool({ name: 'echo_text', arguments: { text: 1 } }).catch((e) => ({ isError: true, content: [{ text: String(e) }] }))
  assert.equal(wrong.isError, true)
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }))

  // A question that the user says no to, and one that they say yes to.
  const note = { name: 'send_note', arguments: { to: 'ann@example.org', text: `from ${name}` } }
  const no = await client.callTool(note)
  assert.equal(no.isError, true)
  const yes = await client.callTool({ ...note, arguments: { ...note.arguments, text: `again from ${name}` } })
  assert.deepEqual(yes.structuredContent, { sent: `again from ${name}`, to: 'ann@example.org' })
  assert.equal(asked.length, 2)
  assert.match(asked[1], /send_note@1\.0\.0[^]*to = "ann@example\.org"/)

  // A call that the host gives up ends, and the next one is answered.
  const began = Date.now()
  const giveUp = new AbortController()
  const options = [{ name: 'wait_long', arguments: { seconds: 30 } }]
  if (name === 'version 1') options.push(undefined)
  setTimeout(() => giveUp.abort(), 500)
  await assert.rejects(client.callTool(...options, { signal: giveUp.signal }))
  const after = await client.callTool({ name: 'echo_text', arguments: { text: 'z' } })
  assert.deepEqual(after.structuredContent, { text: 'z', length: 1 })
  assert.ok(Date.now() - began < 10_000)

  await client.close()
  console.log(`${name}: ${tools.length} tools, ${asked.length} questions`)
}
