// Where things lie in the packaged app. Below its resources there is one executable of its own, which is the bridge and the command
// line (docs/adr/0007): AI clients start that, because the app itself runs nothing but the app.

import path from 'node:path'

const FOLDER = 'bin'

/** Bridge and command line, given the folder of the app's resources. */
export function executableIn(resources: string): string {
  return path.join(resources, FOLDER, executableName)
}

export const executableName = process.platform === 'win32' ? 'countersign.exe' : 'countersign'

/** The app that an executable in `programFolder` would belong to; whether it is there is for the caller to see. */
export function appAround(programFolder: string): string | null {
  const resources = path.dirname(programFolder)
  if (path.basename(programFolder) !== FOLDER || path.basename(resources).toLowerCase() !== 'resources') return null
  const around = path.dirname(resources)
  switch (process.platform) {
    case 'darwin':
      return path.join(around, 'MacOS', 'Countersign')
    case 'win32':
      return path.join(around, 'Countersign.exe')
    default:
      return path.join(around, 'countersign')
  }
}
