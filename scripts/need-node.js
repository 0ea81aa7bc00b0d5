// `npm ci` brings Node 24 along where a package of it exists, and npm puts it first in the path of its scripts. Elsewhere the
// machine's own Node has to be new enough; better one sentence here than a stack trace from the first tool that is not content.

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `Countersign is built and tested with Node 24 or newer, and this is Node ${process.versions.node}.\n` +
      'Run npm ci: on Linux (x64, arm64), macOS (x64) and Windows (x64) it brings Node 24 along.\n' +
      'On other systems install Node 24 or newer yourself: https://nodejs.org/',
  )
  process.exit(1)
}
