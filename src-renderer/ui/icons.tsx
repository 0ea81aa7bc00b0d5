import type { ReactNode } from 'react'

function icon(shape: ReactNode) {
  return function Icon() {
    return (
      <svg
        width="16"
        height="16"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {shape}
      </svg>
    )
  }
}

export const WelcomeIcon = icon(<path d="M12 3v4m0 10v4M3 12h4m10 0h4M6 6l2.5 2.5m7 7L18 18m0-12-2.5 2.5m-7 7L6 18" />)
export const AuditIcon = icon(<path d="M4 6h16M4 12h16M4 18h10" />)
export const SecretsIcon = icon(
  <>
    <circle cx="8" cy="15.5" r="4.5" />
    <path d="m11.4 12.1 8.1-8.1m-3.5 3.5 3 3" />
  </>,
)
export const PoliciesIcon = icon(
  <>
    <path d="M12 3 5 6v5c0 4.6 2.9 8 7 10 4.1-2 7-5.4 7-10V6Z" />
    <path d="m9 11.8 2.2 2.2 4-4.2" />
  </>,
)
export const ClientsIcon = icon(
  <>
    <path d="M9 3v5m6-5v5M6 8h12v3a6 6 0 0 1-12 0Z" />
    <path d="M12 17v4" />
  </>,
)
export const SettingsIcon = icon(
  <>
    <path d="M4 7h8m6 0h2M4 17h2m6 0h8" />
    <circle cx="15" cy="7" r="2.6" />
    <circle cx="9" cy="17" r="2.6" />
  </>,
)
export const PauseIcon = icon(<path d="M8 5v14m8-14v14" />)
export const ExitIcon = icon(<path d="M10 4H5v16h5m5-12 4 4-4 4m4-4H10" />)
export const StoreIcon = icon(
  <>
    <rect x="5" y="10.5" width="14" height="10" rx="2" />
    <path d="M8 10.5V7.5a4 4 0 0 1 8 0v3" />
  </>,
)
export const KeysIcon = icon(
  <>
    <rect x="2.5" y="6" width="19" height="12.5" rx="2" />
    <path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14.5h8" />
  </>,
)
