import { existsSync } from 'node:fs'
import { join } from 'node:path'
import postman from 'openapi-to-postmanv2'
import { signInDocument } from '../oidc/openapi/document.ts'
import { readFacts } from '../platform/facts.ts'
import { readSettings } from '../platform/settings.ts'
import { routes } from '../webhooks/app.ts'
import { openApiDocument } from '../webhooks/openapi/document.ts'
import { IDEMPOTENCY_KEY } from '../webhooks/route/idempotency-key.ts'

type Addresses = { baseUrl: string; authUrl: string }

/**
 * Both APIs as a collection for Postman (format 2.1) and for tools that read it: a folder for each, with every operation
 * and its examples. Its variables are `baseUrl`, `authUrl`, and `bearerToken` for an API key.
 */
export async function postmanCollection({ baseUrl, authUrl }: Addresses): Promise<object> {
  const api = await convertDocument(openApiDocument(routes, { baseUrl }))
  const signIn = await convertDocument(signInDocument(authUrl), 'authUrl')
  return {
    info: { ...Object(api.info), name: 'Personhood platform' },
    item: [
      { name: 'Developer API', item: api.item },
      { name: 'Sign-in server', item: signIn.item },
    ],
    variable: [
      { key: 'baseUrl', value: baseUrl },
      { key: 'authUrl', value: authUrl },
      { key: 'bearerToken', value: '' },
    ],
  }
}

/** Parameters and bodies have the examples' values, not made-up ones. */
const AS_SHOWN = {
  folderStrategy: 'Tags',
  requestParametersResolution: 'Example',
  exampleParametersResolution: 'Example',
} as const

/** @param variable the name of the variable with the server's address */
async function convertDocument(
  data: object,
  variable = 'baseUrl',
): Promise<Record<string, unknown>> {
  const converted = await new Promise<unknown>((resolve, reject) => {
    postman.convert({ type: 'json', data }, AS_SHOWN, (error, made) => {
      if (made?.result) resolve(made.output?.[0]?.data)
      else reject(new Error(`No collection can be made: ${error?.message ?? made?.reason}`))
    })
  })
  const text = JSON.stringify(converted).replaceAll('{{baseUrl}}', `{{${variable}}}`)
  return Object(JSON.parse(text, withoutKey))
}

/** One key for all requests would repeat the first answer, or refuse the next request. */
function withoutKey(_name: string, value: unknown): unknown {
  return Object(value).key === IDEMPOTENCY_KEY ? { ...Object(value), disabled: true } : value
}

/** Where the platform of the data folder runs, or would by default. */
function findAddresses(): Addresses {
  const { folder, ports } = readSettings(process.env)
  if (existsSync(join(folder, 'platform.json'))) return readFacts(folder)
  return {
    baseUrl: `http://localhost:${ports.WEBHOOKS_PORT}`,
    authUrl: `http://localhost:${ports.OIDC_PORT}`,
  }
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(await postmanCollection(findAddresses()), null, 2)}\n`)
