// One build, one folder: `dist/` holds the programs, one self-contained CommonJS file each (CommonJS starts faster than
// ESM, and the bridge is started by every AI client), and the page in `dist/renderer/`.

import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type EnvironmentOptions } from 'vite'

const root = import.meta.dirname
const dist = path.join(root, 'dist')

interface Program {
  entry: string
  /** The oldest Node that may run it: AI clients start bridge and CLI with whatever `node` they find. */
  target: 'node20' | 'node24'
  /** Native modules, loaded from node_modules when the program runs. */
  native?: string[]
  /** People start it by its name. */
  command?: true
  /** Every AI client starts it and waits: less to read is less to wait for. */
  small?: boolean
}

const programs: Record<string, Program> = {
  bridge: { entry: 'src-main/bridge/main.ts', target: 'node20', small: true },
  cli: { entry: 'src-main/cli/main.ts', target: 'node20', command: true },
  headless: { entry: 'src-main/headless/launch.ts', target: 'node20' },
  host: { entry: 'src-main/headless/main.ts', target: 'node24' },
  'audit-worker': { entry: 'src-main/host/audit/worker.ts', target: 'node24' },
  'keychain-helper': { entry: 'src-main/adapters/keychain-helper.ts', target: 'node24', native: ['keytar', '@github/keytar'] },
  desktop: { entry: 'src-main/electron/main.ts', target: 'node24', native: ['electron'] },
  'keychain-utility': { entry: 'src-main/electron/keychain-helper-entry.ts', target: 'node24', native: ['keytar', '@github/keytar'] },
  'window-preload': { entry: 'src-main/electron/window-preload.ts', target: 'node24', native: ['electron'] },
  'prompt-preload': { entry: 'src-main/electron/prompt-preload.ts', target: 'node24', native: ['electron'] },
}

const builtins = [...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'node:sqlite']

function program(name: string, { entry, target, native = [], small = false }: Program): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, external: native, builtins },
    // ws looks for two optional native helpers; answering "no" here leaves no trace of them in the bundle.
    define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
    build: {
      ssr: true,
      target,
      outDir: dist,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: small,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { [name]: path.join(root, entry) },
        external: native,
        platform: 'node',
        output: { format: 'cjs', entryFileNames: '[name].js', codeSplitting: false, strict: true },
      },
    },
  }
}

async function makeExecutable(file: string): Promise<void> {
  const code = await readFile(file, 'utf8')
  await writeFile(file, code.startsWith('#!') ? code : `#!/usr/bin/env node\n${code}`)
  await chmod(file, 0o755)
}

export default defineConfig({
  root: path.join(root, 'src-renderer'),
  base: './',
  publicDir: false,
  plugins: [react()],
  clearScreen: false,
  environments: {
    client: {
      build: {
        target: 'es2024',
        outDir: path.join(dist, 'renderer'),
        emptyOutDir: true,
        modulePreload: { polyfill: false },
        // The page's policy allows no inline code or styles, so nothing is inlined.
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        rolldownOptions: { input: ['index.html', 'prompt.html'].map((page) => path.join(root, 'src-renderer', page)) },
      },
    },
    ...Object.fromEntries(Object.entries(programs).map(([name, options]) => [name.replaceAll('-', '_'), program(name, options)])),
  },
  builder: {
    buildApp: async (builder) => {
      await rm(dist, { recursive: true, force: true })
      for (const environment of Object.values(builder.environments)) {
        if (environment.name !== 'ssr') await builder.build(environment)
      }
      await writeFile(path.join(dist, 'package.json'), '{ "type": "commonjs" }\n')
      for (const [name, { command }] of Object.entries(programs)) {
        if (command) await makeExecutable(path.join(dist, `${name}.js`))
      }
    },
  },
})
