// From facts to files: where the clients on this computer keep their configuration.

import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { ClientFacts, System } from './facts.ts'

export interface Surroundings {
  system: System
  home: string
  env: Record<string, string | undefined>
}

export function systemOf(platform: NodeJS.Platform): System {
  return platform === 'darwin' ? 'mac' : platform === 'win32' ? 'windows' : 'linux'
}

/** The configuration files of a client that is here, whether they exist yet or not; empty when the client is not here. */
export function filesOf(facts: ClientFacts, around: Surroundings): string[] {
  const moved = facts.moved === undefined ? undefined : around.env[facts.moved.variable]
  if (facts.moved !== undefined && moved) return path.isAbsolute(moved) && existsSync(moved) ? [path.join(moved, facts.moved.file)] : []
  return facts.places[around.system].flatMap((alternatives) => {
    const here = alternatives.flatMap((template) => expand(template, around)).filter((file) => isHere(file, facts, around))
    const chosen = here.find((file) => existsSync(file)) ?? here[0]
    return chosen === undefined ? [] : [chosen]
  })
}

function isHere(file: string, facts: ClientFacts, around: Surroundings): boolean {
  if (existsSync(file)) return true
  if (facts.marker !== undefined) return expand(facts.marker, around).some((marker) => existsSync(marker))
  let folder = path.dirname(file)
  for (let up = facts.folders ?? 0; up > 0; up--) folder = path.dirname(folder)
  return existsSync(folder)
}

function expand(template: string, { system, home, env }: Surroundings): string[] {
  const roots: Record<string, string> = {
    home,
    config: (system === 'linux' ? absolute(env['XDG_CONFIG_HOME']) : null) ?? path.join(home, '.config'),
    support: path.join(home, 'Library', 'Application Support'),
    appdata: absolute(env['APPDATA']) ?? path.join(home, 'AppData', 'Roaming'),
    localappdata: absolute(env['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local'),
  }
  const [root = '', ...segments] = template.split('/')
  return segments.reduce<string[]>((found, segment) => found.flatMap((base) => step(base, segment)), [roots[root.slice(1, -1)] ?? ''])
}

function step(base: string, segment: string): string[] {
  const star = segment.indexOf('*')
  if (star === -1) return [path.join(base, segment)]
  if (!existsSync(base)) return []
  const [head, tail] = [segment.slice(0, star), segment.slice(star + 1)]
  return readdirSync(base)
    .filter((name) => name.startsWith(head) && name.endsWith(tail))
    .toSorted()
    .map((name) => path.join(base, name))
}

const absolute = (value: string | undefined): string | null => (value && path.isAbsolute(value) ? value : null)
