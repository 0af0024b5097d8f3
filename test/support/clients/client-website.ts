import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'

/** Starts a website with a page of this folder, which runs unchanged clients from npm. */
export async function startClientWebsite(page: 'idkit.html' | 'minikit.html') {
  const files = await bundlePage(page)
  const server = createServer((request, response) => {
    const file = files.get(request.url === '/' ? `/${page}` : (request.url ?? ''))
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': contentType(file.fileName) })
    return response.end(file.type === 'asset' ? file.source : file.code)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The website has no port.')
  return {
    url: `http://localhost:${address.port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type OutputFile = Rolldown.OutputChunk | Rolldown.OutputAsset

/** Bundles the page and its files for browsers, in memory. Returns the files by path. */
async function bundlePage(page: string): Promise<Map<string, OutputFile>> {
  const result = await build({
    root: import.meta.dirname,
    configFile: false,
    // Hides warnings, because they are only about code of other packages.
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: join(import.meta.dirname, page) } },
  })
  if (!('output' in result)) throw new Error('vite must return one bundle.')
  return new Map(result.output.map((file) => [`/${file.fileName}`, file]))
}

function contentType(fileName: string): string {
  if (fileName.endsWith('.html')) return 'text/html'
  if (fileName.endsWith('.wasm')) return 'application/wasm'
  return fileName.endsWith('.css') ? 'text/css' : 'text/javascript'
}
