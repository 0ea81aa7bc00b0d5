import { defineConfig } from 'vitest/config'

/** What is waited for comes at once, or some seconds later on a busy machine. */
const expect = { poll: { timeout: 10_000 } }

// Five kinds of tests. `unit` sits beside the source; `e2e` drives the built programs, so it needs `npm run build` first; `desktop`
// does the same for the app in a real Electron; `judges` lets other people's MCP clients speak to our bridge, and fetches them first. All run under scripts/with-keyring.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          include: ['src-*/**/*.test.{ts,tsx}', 'docs/*.test.ts'],
          // One more than a machine of two cores would get: they wait for disk and keychain a good part of their time.
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          expect,
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/judges/**', 'e2e/conformance/**', 'e2e/electron/**', 'e2e/packaged/**'],
          // More than a small machine has cores: most of these wait for real seconds to pass.
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // One Electron at a time: each is a browser, and tests about a focus or a second are lost between two of them.
        test: {
          name: 'desktop',
          expect,
          include: ['e2e/electron/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        // The app as it is installed, from outside; scripts/packaged.ts makes it first.
        test: {
          name: 'packaged',
          expect,
          include: ['e2e/packaged/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'judges',
          expect,
          include: ['e2e/{judges,conformance}/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
