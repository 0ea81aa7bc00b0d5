import { ipcRenderer } from 'electron'
import { FIT } from './channels.ts'
import { expose } from './expose.ts'

expose(['status', 'approvals.list', 'approvals.shown', 'approvals.answer', 'approvals.reveal'], {
  fit: (height, request) => ipcRenderer.send(FIT, height, request),
})
