// What the screens ask beyond lists and changes: how things were used, what an edit or an import would do, a call to practise on.

import { UNREGISTERED } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import type { HostStatus, Launch } from '../../src-shared/rpc.ts'
import { compare } from './comparing.ts'
import type { Core } from './core.ts'
import { diagnose } from './diagnostics.ts'
import { Refusal } from './errors.ts'
import type { Login } from './login.ts'
import { practise } from './practice.ts'
import type { Api } from './rpc.ts'

interface Acts {
  core: () => Core
  status: () => HostStatus
  launch: Launch | null
  changePin: Login['change']
  setPin: Login['set']
}

const DAYS = 7

export function createScreensApi({ core, status, launch, changePin, setPin }: Acts) {
  return {
    'secrets.uses': async () => {
      const days = lastDays(core().now())
      return { days: days.slice(0, -1), secrets: await core().audit.uses(days) }
    },
    'secrets.compare': async ({ entries }) => ({ states: await compare(core().vault, entries) }),
    'policies.dryRun': (edited) => {
      const { policies, clients, grants, audit, now, mono } = core()
      const bound = [...clients.boundTo(edited.name), ...(edited.name === DEFAULT_POLICY.name ? [UNREGISTERED] : [])]
      const [from = now()] = lastDays(now())
      return audit.tryPolicy(from, now() + 1, bound, {
        saved: policies.get(edited.name),
        edited,
        grants: grants.list(),
        mono: mono(),
      })
    },
    'practice.start': (_, { signal }) => practise(core().broker, signal),
    'clients.launch': () => launch,
    'pin.state': () => ({ set: core().page.pin.state() === 'set' }),
    'pin.set': async ({ pin }) => {
      const answer = await setPin(pin)
      if (!answer.ok) throw new Refusal(answer.message)
      return null
    },
    'pin.change': async ({ current, next }) => {
      const answer = await changePin(current, next)
      if (!answer.ok) throw new Refusal(answer.message)
      return null
    },
    'host.diagnostics': async () => ({ text: await diagnose(status(), status().state === 'open' ? core() : null) }),
  } satisfies Partial<Api>
}

/** The beginnings of the last days, today's included, and the end of today: midnights as the person knows them. */
function lastDays(now: number): number[] {
  return Array.from({ length: DAYS + 1 }, (_, index) => {
    const day = new Date(now)
    day.setDate(day.getDate() - (DAYS - 1) + index)
    return day.setHours(0, 0, 0, 0)
  })
}
