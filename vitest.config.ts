import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that wait for real seconds to pass, the longest first. Begun last, each would be waited for by itself. */
const WAITING = [
  'a-question-nobody-answers',
  'crash',
  'a-host-that-does-not-answer',
  'a-store-nobody-answers',
  'faults/keychain',
  'a-keychain-in-trouble',
  'faults/damaged-databases',
  'every-code',
  'clients/registrations',
  'bridge/bridge',
  'web/mcp/hostile',
  'adapters/keytar-keychain',
]

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = WAITING.findIndex((name) => moduleId.includes(`${name}.test.`) || moduleId.includes(`/${name}/`))
      return found === -1 ? WAITING.length : found
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- It is Vitest's own, not that of arrays.
    const inItsOrder = await super.sort(files)
    return inItsOrder.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** What is waited for comes at once, or some seconds later on a busy machine. */
const expect = { poll: { timeout: 10_000 } }

// Five kinds of tests. `unit` sits beside the source; `e2e` drives the built programs, so it needs `npm run build` first; `desktop`
// does the same for the app in a real Electron; `judges` lets other people's MCP clients speak to our bridge, and fetches them first. All run under scripts/with-keyring.
export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          include: ['src-*/**/*.test.{ts,tsx}', 'docs/*.test.ts'],
          // One more than a machine of two cores would get: they wait for disk and keychain a good part of their time.
          maxWorkers: 3,
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
          maxWorkers: 5,
          // With another number of workers than the unit tests, it has to come after them.
          sequence: { groupOrder: 1 },
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
