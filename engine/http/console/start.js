import { createRoot, React, Ruru } from './static/ruru.js'
import { subscribe } from './subscribe.js'

const WORKERS = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' }

/** Tells the editor where the scripts of its workers are. */
globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = WORKERS[label] ?? 'editorWorker.js'
    return new Worker(new URL(`./static/${file}`, import.meta.url), { type: 'module' })
  },
}

const endpoint = new URL('../v1/graphql', import.meta.url)

/** The headers with which the schema was last asked for, and whether it was given. */
const schema = { headers: '', given: false }

/** Asks for the schema anew. */
function refetchSchema() {
  document.querySelector('[aria-label^="Re-fetch GraphQL schema"]')?.click()
}

// The page opens before the person has typed any headers. Once they have, the schema is requested again.
document.addEventListener('focusout', ({ target }) => {
  if (!schema.given && target.closest?.('.graphiql-editor-tool')) refetchSchema()
})

/** Sends the person's operation with the headers that they typed. */
async function ask(request, { headers = {} } = {}) {
  const text = JSON.stringify(headers)
  const isForSchema = request.operationName === 'IntrospectionQuery'
  const answer = await answered(request, headers)
  if (isForSchema) Object.assign(schema, { headers: text, given: Boolean(answer.data) })
  else if (text !== schema.headers) refetchSchema()
  return answer
}

async function answered(request, headers) {
  // If the word only occurs in a query, no harm is done: a socket answers queries, too.
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
