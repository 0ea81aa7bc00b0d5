import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openWorld } from './testing/world.ts'

const seen = (world: ReturnType<typeof openWorld>) =>
  world.registrations.scan().map(({ client, server, variable, where }) => `${client} ${server} ${variable} (${where})`)

test('credentials in plain text are found by server and name, and their values are nowhere in what is told', () => {
  const world = openWorld()
  const value = 'ghp_abcdefghijklmnopqrstuvwxyz012345'
  const servers = {
    github: { command: 'npx', env: { GITHUB_PERSONAL_ACCESS_TOKEN: value, LOG_LEVEL: 'debug', odd: value } },
    db: {
      command: 'npx',
      args: ['-y', 'pg', '--password', 'hunter22', '--api-key=abcdef123', '--verbose'],
      env: { DATABASE: 'postgres://u:secretpw@h/db' },
    },
    web: {
      url: 'https://user:secretpw@example.com/mcp?api_key=abcdef123',
      headers: { Authorization: `Bearer ${value}`, Accept: 'text/plain' },
    },
    fine: { command: 'x', env: { TOKEN: '${env:TOKEN}', API_KEY: '$KEY', MONKEY: 'banana-split', KEY_FILE: '/etc/key', SECRET: '' } },
    countersign: { command: 'x', env: { TOKEN: value } },
  }
  writeFileSync(world.install('cursor'), `// plain\n${JSON.stringify({ mcpServers: servers })}`)
  expect(seen(world)).toEqual([
    'cursor github GITHUB_PERSONAL_ACCESS_TOKEN (environment)',
    'cursor github odd (environment)',
    'cursor db DATABASE (environment)',
    'cursor db --password (argument)',
    'cursor db --api-key (argument)',
    'cursor web Authorization (header)',
    'cursor web password (address)',
    'cursor web api_key (address)',
  ])
  const told = JSON.stringify(world.registrations.scan())
  for (const secret of [value, 'hunter22', 'abcdef123', 'secretpw']) expect(told).not.toContain(secret)
})

test('every format is looked into, and a file that does not parse stops nothing', () => {
  const world = openWorld()
  writeFileSync(world.install('codex'), '[mcp_servers.gh]\ncommand = "x"\n[mcp_servers.gh.env]\nGH_TOKEN = "abcdefgh"\n')
  writeFileSync(world.install('goose'), 'extensions:\n  gh:\n    cmd: x\n    envs:\n      GH_TOKEN: abcdefgh\n')
  writeFileSync(world.install('continue'), 'mcpServers:\n  - name: gh\n    command: x\n    env:\n      GH_TOKEN: abcdefgh\n')
  writeFileSync(world.install('cursor'), '{ "mcpServers": {')
  expect(seen(world)).toEqual(['codex gh GH_TOKEN (environment)', 'continue gh GH_TOKEN (environment)', 'goose gh GH_TOKEN (environment)'])
})
