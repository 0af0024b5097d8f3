import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

/**
 * The files for most of what pages share. By itself, the builder makes one for each set of pages that share something, and a
 * page then takes up to seventy requests. The first visit may load little: zod, which forms check their fields with, has a file
 * of its own, and packages that few pages need stay with those pages.
 */
const CHUNKS = [
  { name: 'validation', test: /[\\/]node_modules[\\/]zod[\\/]/, priority: 1 },
  { name: 'libraries', test: /[\\/]node_modules[\\/]/, minShareCount: 8 },
  {
    name: 'shared',
    test: /[\\/]portal[\\/](components|team|graphql|pages)[\\/]/,
    minShareCount: 3,
  },
]

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
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
    chunkSizeWarningLimit: 800,
  },
  logLevel: 'warn',
}
