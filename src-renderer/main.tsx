import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App, arrive } from './app.tsx'
import { followTheme } from './ui/theme.ts'

followTheme()

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
const first = await arrive()
createRoot(root).render(
  <StrictMode>
    <App first={first} />
  </StrictMode>,
)
