#!/usr/bin/env node
// Stands in for fpm, which electron-builder downloads to make a deb: it is told the same by electron-builder and leaves the work to
// dpkg-deb. So a deb can be made wherever Debian's own tools are, from the one description in electron-builder.yml.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const { values: asked, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...text, short: 's' },
    t: { ...text, short: 't' },
    depends: { ...texts, short: 'd' },
    'deb-recommends': texts,
    'deb-compression': text,
    'deb-priority': text,
    force: { type: 'boolean' },
    architecture: text,
    'after-install': text,
    'after-remove': text,
    'before-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    category: text,
    license: text,
  },
})

function needed(option: Exclude<keyof typeof asked, 'force' | 'depends' | 'deb-recommends'>): string {
  const value = asked[option]
  if (value === undefined) throw new Error(`electron-builder did not say --${option}`)
  return value
}

/** `from=/to`; a folder that ends in a slash is meant with what is in it. */
function place(tree: string, file: string): void {
  const [from = '', to = ''] = file.split('=')
  const target = path.join(tree, to)
  mkdirSync(path.dirname(target), { recursive: true })
  cpSync(from, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}

/** Root owns all of it, and nobody but root may change it, whatever the umask of whoever builds. */
function setModes(entry: string): void {
  const stat = lstatSync(entry)
  if (stat.isSymbolicLink()) return
  chmodSync(entry, stat.isDirectory() || (stat.mode & 0o111) !== 0 ? 0o755 : 0o644)
  if (stat.isDirectory()) for (const name of readdirSync(entry)) setModes(path.join(entry, name))
}

function sizeInKilobytes(entry: string): number {
  const stat = lstatSync(entry)
  if (!stat.isDirectory()) return Math.ceil(stat.size / 1024)
  return readdirSync(entry).reduce((sum, name) => sum + sizeInKilobytes(path.join(entry, name)), 1)
}

function control(tree: string): string {
  const [synopsis = '', ...description] = needed('description').trim().split('\n')
  const list = (names: string[] | undefined) => (names ?? []).join(', ')
  return `${[
    `Package: ${needed('name')}`,
    `Version: ${needed('version')}`,
    `Architecture: ${needed('architecture')}`,
    `Maintainer: ${needed('maintainer')}`,
    `Installed-Size: ${sizeInKilobytes(tree)}`,
    `Depends: ${list(asked.depends)}`,
    `Recommends: ${list(asked['deb-recommends'])}`,
    `Section: ${needed('category')}`,
    `Priority: ${needed('deb-priority')}`,
    `Homepage: ${needed('url')}`,
    `Description: ${synopsis}`,
    ...description.map((line) => ` ${line.trim()}`),
  ].join('\n')}\n`
}

if (asked.t !== 'deb') throw new Error(`Only a deb can be made without fpm, and this is to be: ${asked.t}`)
const output = needed('package')
const tree = mkdtempSync(path.join(path.dirname(output), 'deb-'))
try {
  for (const file of files) place(tree, file)
  setModes(tree)
  const about = path.join(tree, 'DEBIAN')
  const written = control(tree)
  mkdirSync(about, { mode: 0o755 })
  writeFileSync(path.join(about, 'control'), written)
  for (const [name, option] of [
    ['postinst', 'after-install'],
    ['prerm', 'before-remove'],
    ['postrm', 'after-remove'],
  ] as const) {
    copyFileSync(needed(option), path.join(about, name))
    chmodSync(path.join(about, name), 0o755)
  }
  const compression = process.env['DEB_COMPRESSION'] ?? needed('deb-compression')
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, tree, output], { stdio: 'inherit' })
} finally {
  rmSync(tree, { recursive: true, force: true })
}
