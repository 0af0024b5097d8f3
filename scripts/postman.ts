import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postman from 'openapi-to-postmanv2'
import { z } from 'zod'
import { IDEMPOTENCY_KEY } from '../lib/runtime/web/idempotency-key.ts'
import { runCommand } from '../local/process/command-line.ts'
import { signInRoutes } from '../oidc/app.ts'
import { signInDocument } from '../oidc/openapi/document.ts'
import { readFacts } from '../packages/platform/facts.ts'
import { readSettings } from '../packages/platform/settings/settings.ts'
import { routes } from '../webhooks/app.ts'
import { openApiDocument } from '../webhooks/openapi/document.ts'

type Addresses = { baseUrl: string; authUrl: string }

/**
 * Both APIs as a collection for Postman (format 2.1) and for tools that read it: a folder for each, with every operation
 * and its examples. Its variables are `baseUrl`, `authUrl`, and `bearerToken` for an API key.
 */
export async function postmanCollection({ baseUrl, authUrl }: Addresses): Promise<object> {
  const api = await convertDocument(openApiDocument(routes, { baseUrl }))
  const signIn = await convertDocument(
    signInDocument(signInRoutes({ issuer: authUrl }), authUrl),
    'authUrl',
  )
  return {
    info: { ...api.info, name: 'Personhood platform' },
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

/** The parts of a collection that we put together anew. */
const Converted = z.object({ info: z.looseObject({}), item: z.array(z.unknown()) })
type Converted = z.infer<typeof Converted>

/** Parameters and bodies have the examples' values, not made-up ones. */
const AS_SHOWN = {
  folderStrategy: 'Tags',
  requestParametersResolution: 'Example',
  exampleParametersResolution: 'Example',
} as const

/** @param variable the name of the variable with the server's address */
async function convertDocument(data: object, variable = 'baseUrl'): Promise<Converted> {
  const converted = await new Promise<unknown>((resolve, reject) => {
    postman.convert({ type: 'json', data }, AS_SHOWN, (error, made) => {
      if (made?.result) resolve(made.output?.[0]?.data)
      else reject(new Error(`No collection can be made: ${error?.message ?? made?.reason}`))
    })
  })
  const text = JSON.stringify(converted).replaceAll('{{baseUrl}}', `{{${variable}}}`)
  return Converted.parse(JSON.parse(text, withoutKey))
}

const Keyed = z.looseObject({ key: z.literal(IDEMPOTENCY_KEY) })

/** One key for all requests would repeat the first answer, or refuse the next request. */
function withoutKey(_name: string, value: unknown): unknown {
  const keyed = Keyed.safeParse(value)
  return keyed.success ? { ...keyed.data, disabled: true } : value
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

const USAGE = `Usage: npm run --silent postman > postman.json
  prints both APIs as a collection for Postman, with the addresses of npm start (DATA_FOLDER, .data by default)
`

async function runPostman(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } })
  return values.help ? USAGE : JSON.stringify(await postmanCollection(findAddresses()), null, 2)
}

if (import.meta.main)
  process.exitCode = await runCommand(() => runPostman(process.argv.slice(2)), USAGE)
