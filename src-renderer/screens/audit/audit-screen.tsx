import { Waiting } from '../../prompt/waiting.tsx'
import { Calls } from '../../desk/calls.tsx'

export function AuditScreen() {
  return (
    <>
      <Waiting />
      <Calls />
    </>
  )
}
