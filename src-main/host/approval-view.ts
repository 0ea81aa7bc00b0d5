// An open question as the windows see it: everything a person needs, and never the value.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Approval } from './approvals.ts'
import { fileOf, importOf, registrationOf, secretOf, tokenOf } from './call.ts'

export function viewOf(approval: Approval): ApprovalView {
  const { caller, says, request } = approval.call
  return {
    id: approval.id,
    revision: approval.revision,
    clientId: caller.clientId,
    clientName: caller.clientName,
    standing: caller.standing,
    peer: caller.peer,
    says,
    tool: request.tool,
    secret: secretOf(request),
    file: fileOf(request),
    ...importOf(request),
    ...tokenOf(request),
    ...registrationOf(request),
    replaces: approval.replaces,
    hasValue: request.tool === 'store_secret',
    warning: approval.warning,
    policy: approval.policy,
    mayRemember: approval.mayRemember,
    count: approval.count,
    waiting: approval.waiters.size,
    opened: approval.opened,
    expires: approval.expires,
  }
}
