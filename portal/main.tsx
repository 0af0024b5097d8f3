import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Portal } from './router/portal.tsx'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Portal />
    </StrictMode>,
  )
