// Links that make a client ask the person itself whether to add us.

import { ENTRY_NAME, type ClientFacts, type Launch } from './facts.ts'

export function installLink(facts: ClientFacts, launch: Launch): string | null {
  if (facts.link === undefined) return null
  const entry = facts.entry(launch)
  switch (facts.link) {
    case 'cursor': {
      const config = Buffer.from(JSON.stringify(entry)).toString('base64')
      return `cursor://anysphere.cursor-deeplink/mcp/install?name=${ENTRY_NAME}&config=${encodeURIComponent(config)}`
    }
    case 'vscode':
    case 'vscode-insiders':
      return `${facts.link}:mcp/install?${encodeURIComponent(JSON.stringify({ name: ENTRY_NAME, ...entry }))}`
  }
}
