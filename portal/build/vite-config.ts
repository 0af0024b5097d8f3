import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

/** How Vite reads the sources, to build them and to develop with them. */
export const viteConfig: InlineConfig = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  plugins: [react()],
  build: {
    emptyOutDir: true,
    // What is inlined as `data:` would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 800,
  },
  logLevel: 'warn',
}
