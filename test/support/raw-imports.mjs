// Vite imports a file's text as `file?raw`, which modules of the portal do. With this hook (`node --import`) Node does so, too.
// It is plain JavaScript, since the modules of this folder are not stripped of types before it is loaded.
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
