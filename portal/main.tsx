import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Portal } from './app/portal.tsx'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Portal />
    </StrictMode>,
  )
