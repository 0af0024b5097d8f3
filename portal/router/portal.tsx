import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../../lib/design/tokens.css'
import '../design/portal.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { resolveVariables, theme } from '../design/theme.ts'
import { styleNonce } from '../settings/settings.ts'
import { reloadAfterUpdate } from './missing-file.ts'
import { queryClient } from './query-client.ts'
import { routes } from './routes.tsx'

// Without this, Zod tries to compile code, and the Content-Security-Policy reports a violation.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
// Dialogs add a style element to stop the page behind them from scrolling.
setNonce(styleNonce())
const router = createBrowserRouter(routes)
reloadAfterUpdate(router)

export function Portal() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
