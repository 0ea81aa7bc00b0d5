// What a test asks in Electron's main process, answered once and for certain. Playwright waits for a promise there that nothing else
// holds, and now and then V8 collects it ("Resulting promise was garbage collected"): whatever was asked has been done by then, and its
// answer is lost. So the answer is kept there, and fetched until it arrives.

import type { ElectronApplication } from 'playwright'

type Kept = { value: unknown } | { fault: string }
interface Holder {
  keptAnswers?: Map<number, Promise<Kept>>
}

export function keepAnswers(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app)
  let last = 0

  const evaluateOnce = async (work: unknown, arg: unknown): Promise<unknown> => {
    const id = ++last
    await untilHeard(() => evaluate(begin, { id, source: String(work), arg }))
    const answer = await untilHeard(() => evaluate(fetchAnswer, id))
    if (answer !== undefined && 'value' in answer) return answer.value
    throw new Error(answer?.fault ?? 'The answer was not kept')
  }
  // The signature is Playwright's own, overloaded by what the function takes.
  app.evaluate = evaluateOnce as typeof app.evaluate
}

/** At once, because what is put off is not run before something else wakes the app; and once, however often it is sent. */
function begin(electron: unknown, { id, source, arg }: { id: number; source: string; arg: unknown }): void {
  const kept = ((globalThis as Holder).keptAnswers ??= new Map())
  if (kept.has(id)) return
  // oxlint-disable-next-line no-eval -- A function comes here as its text, as Playwright sends its own.
  const work = (0, eval)(`(${source})`) as (electron: unknown, arg: unknown) => unknown
  const run = async () => work(electron, arg)
  const answer = run().then(
    (value): Kept => ({ value }),
    (error: unknown): Kept => ({ fault: String(error) }),
  )
  kept.set(id, answer)
}

function fetchAnswer(_: unknown, id: number): Promise<Kept> | undefined {
  return (globalThis as Holder).keptAnswers?.get(id)
}

async function untilHeard<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('garbage collected'))) throw error
    }
  }
}
