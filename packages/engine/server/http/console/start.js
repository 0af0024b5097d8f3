import { createRoot, React, Ruru } from './static/ruru.js'
import { subscribe } from './subscribe.js'

const WORKERS = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' }

/** Loads the scripts of the editor's workers. */
globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = WORKERS[label] ?? 'editorWorker.js'
    return new Worker(new URL(`./static/${file}`, import.meta.url), { type: 'module' })
  },
}

const endpoint = new URL('../v1/graphql', import.meta.url)

/**
 * The initial headers. `Authorization` can be in the address after `#`, which browsers send to no server. The page removes it from
 * the address, so that bookmarks and copied addresses do not contain it.
 */
const authorization = new URLSearchParams(location.hash.slice(1)).get('authorization')
const initialHeaders = authorization ? { authorization } : { 'x-hasura-admin-secret': '' }
if (authorization) history.replaceState(null, '', location.pathname)

/** The headers of the last request for the schema, and whether it succeeded. */
const schema = { headers: '', isLoaded: false }

/** Requests the schema again. */
function refetchSchema() {
  document.querySelector('[aria-label^="Re-fetch GraphQL schema"]')?.click()
}

// The editor requests the schema before the user has typed any headers, so the page repeats the request afterwards.
document.addEventListener('focusout', ({ target }) => {
  if (!schema.isLoaded && target.closest?.('.graphiql-editor-tool')) refetchSchema()
})

/** Sends the user's operation with the headers that they typed. */
async function sendOperation(request, { headers = initialHeaders } = {}) {
  const text = JSON.stringify(headers)
  const isForSchema = request.operationName === 'IntrospectionQuery'
  const answer = await fetchAnswer(request, headers)
  if (isForSchema) Object.assign(schema, { headers: text, isLoaded: Boolean(answer.data) })
  else if (text !== schema.headers) refetchSchema()
  return answer
}

async function fetchAnswer(request, headers) {
  // A query that merely contains this word is sent over the WebSocket, too. That works, because the WebSocket also answers queries.
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
    fetcher: sendOperation,
    debugTools: [],
    defaultQuery: '# Enter the admin secret, or "authorization": "Bearer …", under Headers.\n',
    defaultHeaders: JSON.stringify(initialHeaders, null, 2),
    defaultEditorToolsVisibility: 'headers',
  }),
)
