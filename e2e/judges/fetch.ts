// Other people's programs, fetched for the test run alone: pinned, in a scratch folder, and none of our dependencies.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const scratch = path.join(import.meta.dirname, '..', '..', '.scratch', 'judges')

export type Fetched = { folder: string } | { missing: string }

/** The folder in which a package lies, or why it cannot be had here. */
export async function fetchJudge(name: string, version: string): Promise<Fetched> {
  const place = path.join(scratch, `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${version}`)
  const folder = path.join(place, 'node_modules', name)
  const complete = path.join(place, 'complete')
  if (existsSync(complete)) return { folder }
  mkdirSync(place, { recursive: true })
  writeFileSync(path.join(place, 'package.json'), '{ "private": true }\n')
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const complaint = await run('npm', ['install', ...options, `${name}@${version}`], place)
  if (complaint !== null) return { missing: `${name} ${version} cannot be installed here: ${complaint}` }
  writeFileSync(complete, '')
  return { folder }
}

/** What it had to say when it failed, in a line; null when it did not. */
function run(command: string, args: string[], cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: 300_000 }, (error, _, stderr) => {
      resolve(error === null ? null : (stderr.split('\n').find((line) => line.trim() !== '') ?? error.message))
    })
  })
}
