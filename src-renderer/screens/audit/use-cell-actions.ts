import { useEffect, useState } from 'react'
import { PERSON } from '../../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { navigate } from '../../frame/route.ts'
import { sentence } from '../../link/host-link.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { copyText } from '../../ui/copy.ts'
import type { MenuItem } from './cell-menu.tsx'
import type { CellValue } from './columns.ts'

const CLIENT_EVENTS = ['changed'] as const
const NOTE_MS = 2500

/** What a cell belongs to. */
export interface Subject {
  client: string | null
  secret: string | null
}

/** From any cell: only these, not these, copy, and a rule made of it. */
export function useCellActions(query: string, onQuery: (query: string) => void) {
  const link = useLink()
  const { data: clients } = useHostData('clients.list', {}, CLIENT_EVENTS)
  const [note, setNote] = useState<string | null>(null)
  useEffect(() => {
    if (note === null) return
    const timer = setTimeout(() => setNote(null), NOTE_MS)
    return () => clearTimeout(timer)
  }, [note])

  async function copy(text: string): Promise<void> {
    try {
      await copyText(link, text)
      setNote(`Copied ${showUntrusted(text, 60)}`)
    } catch (error) {
      setNote(sentence(error))
    }
  }

  function itemsFor({ text, only, not }: CellValue, subject: Subject): MenuItem[] {
    const shown = showUntrusted(text, 40)
    return [
      ...(only === null ? [] : [{ label: `Only ${shown}`, hint: 'f', act: () => onQuery(only(query)) }]),
      ...(not === null ? [] : [{ label: `Without ${shown}`, hint: 'x', act: () => onQuery(not(query)) }]),
      { label: 'Copy', hint: 'c', act: () => void copy(text) },
      ...ruleItems(subject),
    ]
  }

  function ruleItems({ client, secret }: Subject): MenuItem[] {
    if (secret === null || client === null || client === PERSON) return []
    // Whoever is not registered is bound to the policy that everybody starts with.
    const policy = clients?.find(({ id }) => id === client)?.policy ?? DEFAULT_POLICY.name
    const rule = (list: 'allow' | 'deny'): MenuItem => ({
      label: `Make a rule: ${list} ${showUntrusted(secret, 40)} in ${policy}…`,
      hint: null,
      act: () => navigate('policies', { draft: JSON.stringify({ policy, list, pattern: secret }) }),
    })
    return [rule('allow'), rule('deny')]
  }

  return { itemsFor, copy, note }
}
