import { createRoot, React, Ruru } from './static/ruru.js'
import { subscribe } from './subscribe.js'

const WORKERS = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' }

/** Where the editor finds its background threads. */
globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = WORKERS[label] ?? 'editorWorker.js'
    return new Worker(new URL(`./static/${file}`, import.meta.url), { type: 'module' })
  },
}

const endpoint = new URL('../v1/graphql', import.meta.url)

/** Sends what the person wrote with the headers that the person typed. */
async function ask(request, { headers = {} } = {}) {
  // A socket answers queries too: where the word means something else, nothing is lost.
  if (/\bsubscription\b/.test(request.query)) return subscribe(endpoint, request, headers)
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  return response.json()
}

createRoot(document.getElementById('console')).render(
  React.createElement(Ruru, {
    fetcher: ask,
    debugTools: [],
    defaultQuery: '# The admin secret, or "authorization": "Bearer …", goes under Headers.\n',
    defaultHeaders: JSON.stringify({ 'x-hasura-admin-secret': '' }, null, 2),
    defaultEditorToolsVisibility: 'headers',
  }),
)
