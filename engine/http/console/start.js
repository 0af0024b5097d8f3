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

/** The headers with which the schema was last asked for, and whether it was given. */
const schema = { headers: '', given: false }

/** Asks for the schema anew. */
function refetchSchema() {
  document.querySelector('[aria-label^="Re-fetch GraphQL schema"]')?.click()
}

// The page opens before anybody has said who they are: once they have, the schema is theirs to see.
document.addEventListener('focusout', ({ target }) => {
  if (!schema.given && target.closest?.('.graphiql-editor-tool')) refetchSchema()
})

/** Sends what the person wrote with the headers that the person typed. */
async function ask(request, { headers = {} } = {}) {
  const text = JSON.stringify(headers)
  const isForSchema = request.operationName === 'IntrospectionQuery'
  const answer = await answered(request, headers)
  if (isForSchema) Object.assign(schema, { headers: text, given: Boolean(answer.data) })
  else if (text !== schema.headers) refetchSchema()
  return answer
}

async function answered(request, headers) {
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
