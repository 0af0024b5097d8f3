import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { present } from '../../../lib/runtime/present.ts'
import { type Anvil, startAnvil } from '../../../local/chain/anvil.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

let anvil: Anvil
let port: number
let folder: string
let stateFile: string

beforeAll(async () => {
  port = await freePort()
  folder = temporaryFolder('test-chain-')
  stateFile = join(folder, 'state.json')
  anvil = await startAnvil({ port, stateFile })
})
afterAll(async () => {
  await anvil.stop()
  rmSync(folder, { recursive: true })
})

/** Sends what `fetch` would not: any `Host` and `Origin`. */
async function send(
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<{
  status: number | undefined
  headers: NodeJS.Dict<string | string[]>
  answer: string
}> {
  const type = { 'content-type': 'application/json' }
  const sent = request({ port, method, headers: { ...type, ...headers } })
  const response = once(sent, 'response')
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [incoming] = await response
  return { status: incoming.statusCode, headers: incoming.headers, answer: await text(incoming) }
}

const call = (method: string, params: unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

const LOCAL = { origin: 'http://localhost:3000' }
const ACCOUNT = '0x00000000000000000000000000000000000e7113'

async function balance(): Promise<string> {
  const { answer } = await send(call('eth_getBalance', [ACCOUNT, 'latest']))
  return JSON.parse(answer).result
}

describe('a page of another site', () => {
  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])(
    'gets 403 for its origin, such as %s',
    async (origin) => {
      const { status, headers, answer } = await send(call('eth_chainId'), { origin })
      expect(status).toBe(403)
      expect(answer).not.toContain('result')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('gets 421 under a foreign host name that resolves to this machine', async () => {
    const { status, answer } = await send(call('eth_accounts'), { host: `evil.example:${port}` })
    expect(status).toBe(421)
    expect(answer).not.toContain('result')
  })

  test('cannot send a body that needs no preflight', async () => {
    const { status } = await send(call('eth_chainId'), { 'content-type': 'text/plain' })
    expect(status).toBe(400)
  })

  test('gets no preflight answered', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    expect((await send(undefined, headers, 'OPTIONS')).status).toBe(403)
  })
})

describe('a page of this machine', () => {
  test('reads the chain', async () => {
    const { status, headers, answer } = await send(call('eth_chainId'), LOCAL)
    expect(status).toBe(200)
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    expect(headers['access-control-allow-origin']).toBe(LOCAL.origin)
  })

  test('gets its preflight answered', async () => {
    const { status, headers } = await send(undefined, LOCAL, 'OPTIONS')
    expect(status).toBe(204)
    expect(headers['access-control-allow-headers']).toBe('content-type')
  })

  test.each(['eth_sendTransaction', 'eth_accounts', 'anvil_setBalance', 'evm_mine', 'anvil_reset'])(
    'gets 403 for %s',
    async (method) => {
      const { status, answer } = await send(call(method), LOCAL)
      expect(status).toBe(403)
      expect(JSON.parse(answer).error.message).toContain(method)
    },
  )

  test('gets 403 for a batch in which one call changes something, and nothing is changed', async () => {
    const change = call('anvil_setBalance', [ACCOUNT, '0x63'], 2)
    const { status } = await send([call('eth_chainId'), change], LOCAL)
    expect(status).toBe(403)
    expect(await balance()).toBe('0x0')
  })
})

describe('a program of this machine', () => {
  test('changes the chain, and gets the answers of a batch', async () => {
    const calls = [
      call('anvil_setBalance', [ACCOUNT, '0x63'], 'set'),
      call('eth_getBalance', [ACCOUNT, 'latest'], 'get'),
    ]
    const { answer } = await send(calls)
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: '2.0', id: 'set', result: null },
      { jsonrpc: '2.0', id: 'get', result: '0x63' },
    ])
  })

  test('gets the error of anvil for a method that does not exist', async () => {
    const { status, answer } = await send(call('eth_{unknown'))
    expect(status).toBe(200)
    expect(JSON.parse(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  test.each(['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl'])(
    'cannot make the chain call an address with %s',
    async (method) => {
      const calls: string[] = []
      const trap = createServer(({ url = '' }, response) => {
        calls.push(url)
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await once(trap, 'listening')
      const address = trap.address()
      const jsonRpcUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
      const { status } = await send(call(method, [{ forking: { jsonRpcUrl } }]))
      expect(status).toBe(403)
      expect(calls).toEqual([])
      trap.close()
    },
  )

  test.each([
    {},
    [],
    { id: null, method: 'eth_chainId' },
    { method: 'eth_chainId' },
    'eth_chainId',
  ])('gets 400 for %j', async (body) => {
    expect((await send(body)).status).toBe(400)
  })

  test('gets 413 for a body above two megabytes', async () => {
    const { status } = await send(call('eth_call', [{ data: 'f'.repeat(2_000_001) }]))
    expect(status).toBe(413)
  })
})

describe('the local chain', () => {
  test.each([{}, { origin: 'https://evil.example' }, LOCAL])(
    'accepts no WebSocket with the headers %j',
    async (headers) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers })
      const [error] = await once(socket, 'error')
      expect(error.message).toMatch(/Unexpected server response: 40[35]/)
    },
  )

  test.runIf(process.platform === 'linux')('has no other port that can be reached', async () => {
    const [address, ...others] = listeners(chainProcess())
    expect(others).toEqual([])
    const socket = connect({ host: '224.0.0.1', port: present(address, 'its own port').port })
    const [error] = await once(socket, 'error')
    expect(error.code).toBe('ENETUNREACH')
  })
})

/** anvil's process, which is named in the file beside the state of the chain. */
const chainProcess = () => Number(readFileSync(`${stateFile}.pid`, 'utf8').split(' ')[1])

/** The TCP ports on which a process listens (Linux). */
function listeners(pid: number): { port: number }[] {
  const folder = `/proc/${pid}/fd`
  const open = new Set(readdirSync(folder).map((name) => readlinkSync(join(folder, name))))
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1),
  )
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && open.has(`socket:[${inode}]`))
    .map(([, local = '']) => ({ port: Number.parseInt(local.split(':')[1] ?? '', 16) }))
}
