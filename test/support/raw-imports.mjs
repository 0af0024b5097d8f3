// A hook for `node --import` that lets Node import the text of a file as `file?raw`, as Vite does. Modules of the portal use
// such imports. The hook is JavaScript, so Node can load it before types can be stripped.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('?raw')) return next(url, context)
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return {
      format: 'module',
      source: `export default ${JSON.stringify(text)}`,
      shortCircuit: true,
    }
  },
})
