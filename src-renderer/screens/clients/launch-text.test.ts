import { expect, test } from 'vitest'
import { commandLine, configEntry } from './launch-text.ts'

const launch = { command: '/opt/my node/bin/node', args: ['/opt/countersign/bridge.js'], env: { COUNTERSIGN_HOME: "/home/o'brien" } }

test('the entry for a config file is JSON with the client id and no key', () => {
  expect(JSON.parse(configEntry(launch, 'cursor'))).toEqual({
    mcpServers: {
      countersign: {
        command: '/opt/my node/bin/node',
        args: ['/opt/countersign/bridge.js', '--client', 'cursor'],
        env: { COUNTERSIGN_HOME: "/home/o'brien" },
      },
    },
  })
  expect(configEntry({ ...launch, env: {} }, 'cursor')).not.toContain('env')
})

test('the line for a shell quotes what a shell would take apart', () => {
  expect(commandLine(launch, 'cursor')).toBe(
    String.raw`COUNTERSIGN_HOME='/home/o'\''brien' '/opt/my node/bin/node' /opt/countersign/bridge.js --client cursor`,
  )
})
