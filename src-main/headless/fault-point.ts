/**
 * For crash tests: `COUNTERSIGN_FAULT_POINT=intent:3` ends this process without a word the third time it reaches `intent`. All it
 * can do is what anybody who may set our environment can do with kill(1).
 */
export function faultPointFrom(spec: string | undefined): (name: string) => void {
  const [point, times = '1'] = (spec ?? '').split(':')
  if (!point) return () => {}
  let left = Number(times)
  return (name) => {
    if (name === point && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
