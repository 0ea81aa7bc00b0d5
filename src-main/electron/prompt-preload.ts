import { ipcRenderer } from 'electron'
import { FIT } from './channels.ts'
import { expose } from './expose.ts'

expose(['status', 'approvals.list', 'approvals.answer', 'approvals.reveal'], {
  fit: (height) => ipcRenderer.send(FIT, height),
})
