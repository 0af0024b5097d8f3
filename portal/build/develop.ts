import { createServer } from 'vite'
import { viteConfig } from './vite-config.ts'

const PORT = 3010
const { BASE_URL = 'http://localhost:3000' } = process.env

// The command `npm run portal`: serves the sources with hot reload, and proxies API requests to the running platform.
const settings = await readSettings().catch(() => null)
if (settings === null) {
  console.error(
    `No portal is served at ${BASE_URL}. Start the platform with npm start, or set BASE_URL to a running platform.`,
  )
  process.exitCode = 1
} else {
  const server = await createServer({
    ...viteConfig,
    plugins: [
      ...(viteConfig.plugins ?? []),
      {
        name: 'platform-settings',
        transformIndexHtml: (html: string) => html.replace('</head>', `${settings}</head>`),
      },
    ],
    server: {
      port: PORT,
      proxy: { '^/(api|v1|local)(/|$)': { target: BASE_URL, ws: true } },
    },
  })
  await server.listen()
  console.info(
    `The portal runs from the sources at http://localhost:${server.config.server.port}, with the platform at ${BASE_URL}.`,
  )
}

/** Reads the settings that the developer API writes into the portal's page as `<meta>` elements. */
async function readSettings(): Promise<string> {
  const response = await fetch(BASE_URL, { headers: { accept: 'text/html' } })
  const metas = (await response.text()).match(/<meta name="[\w-]+-url"[^>]*>/g)
  if (!metas) throw new Error(`the page at ${BASE_URL} has no portal settings`)
  return metas.join('')
}
