import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInDescription } from '../../support/oidc/contract.ts'
import { document } from '../../support/webhooks/openapi/contract.ts'

/** A folder inside the project, so that the clients find openapi-fetch. */
let folder: string
/** The errors of the compiler, by the file of a client. */
let complaints: Map<string, string[]>

beforeAll(() => {
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync('.cache/typed-client-')
  writeFileSync(join(folder, 'api.ts'), typesOf(document))
  writeFileSync(join(folder, 'sign-in.ts'), typesOf(signInDescription('http://localhost:3001')))
  writeFileSync(join(folder, 'right.ts'), CLIENT)
  for (const [mistake, right, wrong] of WRONG)
    writeFileSync(join(folder, fileOf(mistake)), CLIENT.replace(right, wrong))
  complaints = compile(['right.ts', ...WRONG.map(([mistake]) => fileOf(mistake))])
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths } from './api.ts'
import type { paths as signInPaths } from './sign-in.ts'

const api = createClient<paths>({ baseUrl: 'http://localhost:3000' })
const signIn = createClient<signInPaths>({ baseUrl: 'http://localhost:3001' })

export async function vote(proof: string) {
  const { data, error } = await api.POST('/api/v2/verify/{app_id}', {
    params: { path: { app_id: 'app_1' } },
    body: {
      action: 'vote',
      verification_level: 'orb',
      merkle_root: '0x01',
      nullifier_hash: '0x02',
      signal_hash: '0x03',
      proof,
    },
  })
  if (error) return error.code === 'max_verifications_reached' ? 'before' : error.detail
  const uses: number = data.uses
  return uses
}

export async function payment(reference: string) {
  const { data } = await api.GET('/api/v2/minikit/transaction', {
    params: { query: { app_id: 'app_1', type: 'payment', reference } },
  })
  return data?.transaction_status === 'mined'
}

export async function client(redirect: string) {
  const { data } = await signIn.POST('/register', { body: { redirect_uris: [redirect] } })
  return data?.client_id
}
`

const WRONG = [
  ['an unknown path', "'/api/v2/minikit/transaction'", "'/api/v2/minikit/payments'"],
  ['an unknown level', "'orb'", "'iris'"],
  ['an unknown error code', "'max_verifications_reached'", "'verified_before'"],
  ['an unknown field of a response', 'data.uses', 'data.count'],
  ['a missing required field', 'body: { redirect_uris: [redirect] }', 'body: {}'],
] as const

test('clients with types from openapi-typescript compile for both servers', () => {
  expect(complaints.get('right.ts')).toBeUndefined()
})

test.each(WRONG)('a client with %s does not compile', (mistake, right) => {
  expect(CLIENT).toContain(right)
  expect(complaints.get(fileOf(mistake))).toContainEqual(expect.stringContaining('error TS'))
})

function fileOf(mistake: string): string {
  return `${mistake.replaceAll(' ', '-')}.ts`
}

function typesOf(described: object): string {
  const program = new URL('../../support/openapi/print-types.ts', import.meta.url)
  return execFileSync(process.execPath, [program.pathname], {
    input: JSON.stringify(described),
    encoding: 'utf8',
  })
}

function compile(files: readonly string[]): Map<string, string[]> {
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--allowImportingTsExtensions']
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom']
  const { stdout } = spawnSync(
    resolve('node_modules/typescript/bin/tsc'),
    [...options, ...modules, '--pretty', 'false', ...files],
    { cwd: folder, encoding: 'utf8' },
  )
  return Map.groupBy(stdout.match(/^\S+\(.*$/gm) ?? [], (line) => line.replace(/\(.*/, ''))
}
