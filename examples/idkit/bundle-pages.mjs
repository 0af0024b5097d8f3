import { join } from 'node:path'
import { build } from 'vite'

const PAGES = ['index.html', 'idkit-2.html']

/**
 * Bundles the pages and their files for browsers, in memory. Returns the files by path.
 *
 * The pages read the environment variable BRIDGE_URL from `import.meta.env`.
 */
export async function bundlePages() {
  const { output } = await build({
    root: import.meta.dirname,
    configFile: false,
    envPrefix: 'BRIDGE_URL',
    // Hides warnings, because they are only about code of other packages.
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
