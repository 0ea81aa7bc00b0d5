// The page of the desktop's prompt window: one question at a time, and nothing else.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createElectronLink } from '../link/electron-link.ts'
import { LinkContext } from '../link/use-host.ts'
import { followTheme } from '../ui/theme.ts'
import { Prompt } from './prompt.tsx'

followTheme()

const root = document.getElementById('root')
if (root === null || window.countersign === undefined) throw new Error('This page belongs to the prompt window.')
createRoot(root).render(
  <StrictMode>
    <LinkContext value={createElectronLink(window.countersign)}>
      <Prompt />
    </LinkContext>
  </StrictMode>,
)
