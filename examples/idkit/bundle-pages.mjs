import { join } from 'node:path'
import { build } from 'vite'

const PAGES = ['index.html', 'idkit-4.html']

/**
 * The pages and everything that they load, by path, made for browsers and kept in memory.
 *
 * They find BRIDGE_URL of the environment in `import.meta.env`.
 */
export async function bundlePages() {
  const { output } = await build({
    root: import.meta.dirname,
    configFile: false,
    envPrefix: 'BRIDGE_URL',
    // Its warnings are about the packages of others.
    logLevel: 'error',
    build: {
      write: false,
      rolldownOptions: { input: PAGES.map((page) => join(import.meta.dirname, page)) },
    },
  })
  return new Map(
    output.map((file) => [
      `/${file.fileName}`,
      Buffer.from(file.type === 'asset' ? file.source : file.code),
    ]),
  )
}
