import { expose } from './expose.ts'

expose(['status', 'approvals.list', 'approvals.answer', 'approvals.reveal'])
