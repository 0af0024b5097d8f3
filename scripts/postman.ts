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
 * Makes a Postman collection (format 2.1) of both APIs: a folder for each API, with every operation and its examples.
 * The variables are `baseUrl`, `authUrl`, and `bearerToken` for an API key.
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

/** The parts of a collection that are used here. */
const Collection = z.object({ info: z.looseObject({}), item: z.array(z.unknown()) })
type Collection = z.infer<typeof Collection>

/** Fills parameters and bodies with the values of the examples. */
const OPTIONS = {
  folderStrategy: 'Tags',
  requestParametersResolution: 'Example',
  exampleParametersResolution: 'Example',
} as const

/** @param variable the name of the variable with the server's address */
async function convertDocument(data: object, variable = 'baseUrl'): Promise<Collection> {
  const collection = await new Promise<unknown>((resolve, reject) => {
    postman.convert({ type: 'json', data }, OPTIONS, (error, conversion) => {
      if (conversion?.result) resolve(conversion.output?.[0]?.data)
      else reject(new Error(`The conversion failed: ${error?.message ?? conversion?.reason}`))
    })
  })
  const text = JSON.stringify(collection).replaceAll('{{baseUrl}}', `{{${variable}}}`)
  return Collection.parse(JSON.parse(text, withoutKey))
}

const KeyHeader = z.looseObject({ key: z.literal(IDEMPOTENCY_KEY) })

/**
 * Disables the header with the idempotency key: with the same key, a request would get an earlier response or an error.
 */
function withoutKey(_name: string, value: unknown): unknown {
  const header = KeyHeader.safeParse(value)
  return header.success ? { ...header.data, disabled: true } : value
}

/** Returns the addresses that the platform's last start wrote into the data folder, or the default addresses. */
function findAddresses(): Addresses {
  const { folder, ports } = readSettings(process.env)
  if (existsSync(join(folder, 'platform.json'))) return readFacts(folder)
  return {
    baseUrl: `http://localhost:${ports.WEBHOOKS_PORT}`,
    authUrl: `http://localhost:${ports.OIDC_PORT}`,
  }
}

const USAGE = `Usage: npm run --silent postman > postman.json
  prints a Postman collection of both APIs, with the addresses of npm start (DATA_FOLDER, .data by default)
`

async function runPostman(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } })
  return values.help ? USAGE : JSON.stringify(await postmanCollection(findAddresses()), null, 2)
}

if (import.meta.main)
  process.exitCode = await runCommand(() => runPostman(process.argv.slice(2)), USAGE)
