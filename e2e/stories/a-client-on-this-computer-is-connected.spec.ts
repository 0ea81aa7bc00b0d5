import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from './support/story.ts'

const BEFORE =
  '{\n  "mcpServers": {\n    "gh": {\n      "command": "npx",\n      "env": { "GH_TOKEN": "ghp_secretsecretsecret" }\n    }\n  }\n}\n'

test('Cursor is found, added after its diff was seen, tried, connected to, and removed to the byte', async ({ openDesk }) => {
  const person = mkdtempSync(path.join(tmpdir(), 'countersign-person-'))
  const file = path.join(person, '.cursor', 'mcp.json')
  mkdirSync(path.dirname(file))
  writeFileSync(file, BEFORE)
  const desk = await openDesk({ env: { HOME: person, XDG_CONFIG_HOME: '' } })
  await desk.go('welcome')
  await desk.hand.press(desk.page.getByRole('link', { name: 'Choose an installed client' }))
  const found = desk.page.getByRole('region', { name: 'On this computer' }).getByRole('article', { name: 'Cursor' })
  await expect(found).toContainText('not registered')
  await expect(desk.page.getByText('One credential stands in plain text')).toBeVisible()

  await desk.hand.press(found.getByRole('button', { name: 'Add…' }))
  const dialog = desk.page.getByRole('dialog', { name: 'Add Countersign to Cursor' })
  await expect(dialog.getByLabel(`Changes to ${file}`)).toContainText('+     "countersign": {')
  await expect(dialog).not.toContainText('ghp_')
  expect(readFileSync(file, 'utf8')).toBe(BEFORE)
  await desk.hand.press(dialog.getByRole('button', { name: 'Add' }))
  await expect(found).toContainText('✓ registered')

  await desk.hand.press(found.getByRole('button', { name: 'Test' }))
  await expect(found.getByRole('status')).toContainText('It works', { timeout: 30_000 })

  // As Cursor does: whatever stands in its file is started.
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
    mcpServers: { countersign: { command: string; args: string[]; env: Record<string, string> } }
  }
  const client = new Client({ name: 'cursor-vscode', version: '1.0.0' })
  await client.connect(new StdioClientTransport(mcpServers.countersign))
  await client.callTool({ name: 'list_secrets', arguments: {} })
  const card = desk.page.getByRole('listitem').filter({ hasText: 'Grants' }).getByRole('article', { name: 'Cursor' })
  await expect(card).toContainText('connected')
  await client.close()

  await desk.hand.press(found.getByRole('button', { name: 'Remove…' }))
  await desk.hand.press(desk.page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
  await expect(found).toContainText('not registered')
  expect(readFileSync(file, 'utf8')).toBe(BEFORE)
  rmSync(person, { recursive: true, force: true })
})

test('VS Code is given an install link that leads to a registration of its own', async ({ openDesk }) => {
  const person = mkdtempSync(path.join(tmpdir(), 'countersign-person-'))
  const file = path.join(person, '.config', 'Code', 'User', 'mcp.json')
  mkdirSync(path.dirname(file), { recursive: true })
  const desk = await openDesk({ env: { HOME: person, XDG_CONFIG_HOME: '' } })
  await desk.go('clients')
  const found = desk.page.getByRole('region', { name: 'On this computer' }).getByRole('article', { name: 'VS Code', exact: true })
  await desk.hand.press(found.getByRole('button', { name: 'Install link…' }))
  const dialog = desk.page.getByRole('dialog', { name: 'Let VS Code add Countersign' })
  await desk.hand.press(dialog.getByRole('button', { name: 'Register' }))
  const link = (await dialog.getByLabel('Install link', { exact: true }).textContent()) ?? ''
  await desk.hand.press(dialog.getByRole('button', { name: 'Done' }))
  await expect(found).toContainText('not registered')

  // As VS Code does it when the person agrees: the client takes what the link holds, and starts what it took.
  const [scheme, config = ''] = link.split('?')
  expect(scheme).toBe('vscode:mcp/install')
  const { name, ...entry } = JSON.parse(decodeURIComponent(config)) as { name: string; command: string; args: string[] }
  writeFileSync(file, JSON.stringify({ servers: { [name]: entry } }))
  const client = new Client({ name: 'Visual Studio Code', version: '1.139.1' })
  await client.connect(new StdioClientTransport(entry))
  await client.callTool({ name: 'list_secrets', arguments: {} })
  const card = desk.page.getByRole('listitem').filter({ hasText: 'Grants' }).getByRole('article', { name: 'VS Code' })
  await expect(card).toContainText('connected')
  await client.close()
  await desk.go('audit')
  await desk.go('clients')
  await expect(found).toContainText('✓ registered')
  rmSync(person, { recursive: true, force: true })
})
