import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'

/**
 * The files for code that many pages share. By default, the builder makes one file for each set of pages that share code. Then
 * a page needs up to seventy requests. The first visit must load little code. So zod, which validates forms, has a separate
 * file, and packages that few pages need stay with these pages.
 */
const CHUNKS = [
  {
    name: 'validation',
    test: /[\\/](node_modules[\\/]zod[\\/]|portal[\\/]components[\\/]entered-texts)/,
    priority: 1,
  },

  // Only the page "GraphQL" needs these packages. Its parts share them, so they would otherwise be among the libraries.
  {
    name: 'graphql-editor',
    test: /[\\/]node_modules[\\/](codemirror|codemirror-graphql|graphql|graphql-language-service)[\\/]/,
    priority: 1,
  },
  { name: 'libraries', test: /[\\/]node_modules[\\/]/, minShareCount: 8 },
  {
    name: 'shared',
    // Without the code that only pages behind the log-in need.
    test: /[\\/]portal[\\/](components(?![\\/]row-form)|team(?![\\/]api-)|graphql|pages)[\\/]/,
    minShareCount: 3,
  },
]

/** Removes the fonts in GraphiQL's style sheet: `data:` URLs, which the Content-Security-Policy forbids. */
const withoutEmbeddedFonts: Plugin = {
  name: 'without-embedded-fonts',
  enforce: 'pre',
  transform: {
    filter: { id: /[\\/]graphiql[\\/]dist[\\/]style\.css$/ },
    handler: (code) => code.replaceAll(/@font-face\s*\{[^}]*\}/g, ''),
  },
}

/** Moves the link to the styles behind the placeholders of `index.html`, so that browsers draw them before the styles arrive. */
const stylesAfterPlaceholders: Plugin = {
  name: 'styles-after-placeholders',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const [link = ''] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? []
      // The styles come before the styles that Mantine adds to the root element, which override them.
      return html.replace(link, '').replace('<div id="root">', (root) => `${link}\n    ${root}`)
    },
  },
}

/** Vite's configuration, for builds and for development. */
export const viteConfig: InlineConfig = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  plugins: [react(), withoutEmbeddedFonts, stylesAfterPlaceholders],
  build: {
    emptyOutDir: true,
    // Inlined `data:` URLs would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
    chunkSizeWarningLimit: 800,
  },
  logLevel: 'warn',
}
