// Imported by every program before anything else of ours, so that nothing is there yet for a debugger to see.

import { asksForInspector, ignoreDebugSignal, refuseInspector } from './inspector.ts'

ignoreDebugSignal()
if (asksForInspector(process.execArgv, process.env['NODE_OPTIONS'])) refuseInspector()
