// `countersign`. As the bridge it must start fast, so nothing else is loaded then.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import '../adapters/no-inspector.ts'
import { forbidCoreFiles, leaveNoMemoryBehind } from '../adapters/core-dumps.ts'

if (process.argv[2] === 'mcp') void import('../bridge/main.ts')
else void import('./run.ts').then(begin)

async function begin({ run }: typeof import('./run.ts')): Promise<void> {
  leaveNoMemoryBehind()
  void forbidCoreFiles()
  // Whoever reads our output may stop reading: `countersign list | head -1`.
  process.stdout.on('error', () => process.exit())
  process.exitCode = await run(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    programFolder: import.meta.dirname,
  })
}
