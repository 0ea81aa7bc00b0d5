import { useState } from 'react'
import { keychainHelps } from '../../src-shared/keychain-help.ts'
import type { LoginMode } from '../../src-shared/login.ts'
import { logIn, type Session } from '../session.ts'
import { system } from '../ui/system.ts'
import { Door } from './door.tsx'
import { SecretForm } from './secret-form.tsx'

interface Words {
  title: string
  text: string
  /** What to do about it, where that is not to be done here. */
  steps?: string[]
  /** Null where there is nothing to enter. */
  form: { label: string; submit: string; choosing: boolean; code?: boolean } | null
}

const WORDS: Record<LoginMode, Words> = {
  'set pin': {
    title: 'Choose a PIN',
    text: 'Whoever opens this page can allow an AI client to change your secrets. The PIN makes sure that it is you: a program with a shell must not be able to answer for itself.',
    form: { label: 'PIN', submit: 'Set PIN', choosing: true },
  },
  'set pin with code': {
    title: 'Choose a PIN',
    text: 'Countersign is in use on this computer already, so the first PIN has to come from you. The code stands in the terminal in which you started it.',
    form: { label: 'PIN', submit: 'Set PIN', choosing: true, code: true },
  },
  'set pin elsewhere': {
    title: 'Choose a PIN first',
    text: 'Countersign is in use on this computer already, so the first PIN has to come from you: a program with a shell could have opened this page.',
    steps: [
      'Open the desktop app and choose the PIN under Settings.',
      'Without a desktop, start Countersign from a terminal: it prints a code for this page.',
    ],
    form: null,
  },
  pin: {
    title: 'Enter your PIN',
    text: 'You chose it when you first opened this page.',
    form: { label: 'PIN', submit: 'Log in', choosing: false },
  },
  'set passphrase': {
    title: 'Make a sealed vault',
    text: 'This computer has no keychain that Countersign can use, so your secrets will be kept in a file sealed with a passphrase. Nobody can open it without: keep the passphrase safe.',
    form: { label: 'Passphrase', submit: 'Make the vault', choosing: true },
  },
  passphrase: {
    title: 'Open the sealed vault',
    text: 'Your secrets are in a file sealed with a passphrase. Nothing is served until it is open.',
    form: { label: 'Passphrase', submit: 'Open', choosing: false },
  },
  locked: {
    title: 'The keychain does not open',
    text: 'Your secrets are in the keychain of this computer, which is locked or not there.',
    steps: keychainHelps(system),
    form: null,
  },
  damaged: {
    title: 'The vault needs you',
    text: 'Countersign found its database damaged or changed by another program, so nobody is served until you decide. To go back to the daily copy, stop it and start it again with --restore-daily-copy. To go on with a database that is older than it should be, start it with --accept-vault.',
    form: null,
  },
}

export function Login({ mode, onSession, again }: { mode: LoginMode; onSession: (session: Session) => void; again: () => void }) {
  const { title, text, steps = [], form } = WORDS[mode]
  const [error, setError] = useState<{ message: string; waitMs: number } | null>(null)

  async function enter(secret: string, code?: string): Promise<void> {
    setError(null)
    const result = await logIn(secret, code)
    if (result.ok) onSession(result.session)
    else setError(result)
  }

  return (
    <Door title={title}>
      <p>{text}</p>
      {steps.length > 0 && (
        <ul>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      )}
      {form === null ? (
        <button type="button" className="primary" onClick={again}>
          Try again
        </button>
      ) : (
        <SecretForm key={mode} {...form} error={error} enter={enter} />
      )}
    </Door>
  )
}
