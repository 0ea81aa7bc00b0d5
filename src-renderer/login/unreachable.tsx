import { Door } from './door.tsx'

export function Unreachable({ again }: { again: () => void }) {
  return (
    <Door title="Countersign cannot be reached">
      <p>The program behind this page does not answer. Start it, then try again.</p>
      <button type="button" className="primary" onClick={again}>
        Try again
      </button>
    </Door>
  )
}
