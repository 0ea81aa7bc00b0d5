/** The sign of the house: a seal with a tick. */
export function Mark() {
  return (
    <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.2" aria-hidden="true" className="mark">
      <rect x="3" y="3" width="18" height="18" rx="5" />
      <path d="m8 12.4 2.8 2.8L16.2 9" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
