import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { requireValue } from '../../../lib/runtime/require-value.ts'
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

/** Sends a request with any `Host` and `Origin`, which `fetch` does not allow. */
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
  const outgoing = request({ port, method, headers: { ...type, ...headers } })
  const response = once(outgoing, 'response')
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
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

describe('a page of another site cannot use the local chain', () => {
  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])(
    'a page with the origin %s gets 403',
    async (origin) => {
      const { status, headers, answer } = await send(call('eth_chainId'), { origin })
      expect(status).toBe(403)
      expect(answer).not.toContain('result')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('a request with a foreign host name that resolves to this machine gets 421', async () => {
    const { status, answer } = await send(call('eth_accounts'), { host: `evil.example:${port}` })
    expect(status).toBe(421)
    expect(answer).not.toContain('result')
  })

  test('a body with a content type that needs no preflight gets 400', async () => {
    const { status } = await send(call('eth_chainId'), { 'content-type': 'text/plain' })
    expect(status).toBe(400)
  })

  test('a preflight of another site gets 403', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    expect((await send(undefined, headers, 'OPTIONS')).status).toBe(403)
  })
})

describe('a page of this machine can only read the local chain', () => {
  test('a page of this machine can read the chain', async () => {
    const { status, headers, answer } = await send(call('eth_chainId'), LOCAL)
    expect(status).toBe(200)
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    expect(headers['access-control-allow-origin']).toBe(LOCAL.origin)
  })

  test('a preflight of a page of this machine gets 204', async () => {
    const { status, headers } = await send(undefined, LOCAL, 'OPTIONS')
    expect(status).toBe(204)
    expect(headers['access-control-allow-headers']).toBe('content-type')
  })

  test.each(['eth_sendTransaction', 'eth_accounts', 'anvil_setBalance', 'evm_mine', 'anvil_reset'])(
    'a page of this machine gets 403 for %s',
    async (method) => {
      const { status, answer } = await send(call(method), LOCAL)
      expect(status).toBe(403)
      expect(JSON.parse(answer).error.message).toContain(method)
    },
  )

  test('a batch of a page with a writing call gets 403 and changes nothing', async () => {
    const change = call('anvil_setBalance', [ACCOUNT, '0x63'], 2)
    const { status } = await send([call('eth_chainId'), change], LOCAL)
    expect(status).toBe(403)
    expect(await balance()).toBe('0x0')
  })
})

describe('a program of this machine can use the local chain', () => {
  test('a program can change the chain, and gets the responses of a batch', async () => {
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

  test('a program gets the error of anvil for an unknown method', async () => {
    const { status, answer } = await send(call('eth_{unknown'))
    expect(status).toBe(200)
    expect(JSON.parse(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  test.each(['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl'])(
    'a program cannot make the chain call an address with %s',
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
  ])('the body %j gets 400', async (body) => {
    expect((await send(body)).status).toBe(400)
  })

  test('a body above 2 MB gets 413', async () => {
    const { status } = await send(call('eth_call', [{ data: 'f'.repeat(2_000_001) }]))
    expect(status).toBe(413)
  })
})

describe('the local chain has no other interfaces', () => {
  test.each([{}, { origin: 'https://evil.example' }, LOCAL])(
    'a WebSocket with the headers %j is rejected',
    async (headers) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers })
      const [error] = await once(socket, 'error')
      expect(error.message).toMatch(/Unexpected server response: 40[35]/)
    },
  )

  test.runIf(process.platform === 'linux')('anvil listens on no other reachable port', async () => {
    const [address, ...moreAddresses] = listeners(chainProcess())
    expect(moreAddresses).toEqual([])
    const socket = connect({
      host: '224.0.0.1',
      port: requireValue(address, 'the port of anvil').port,
    })
    const [error] = await once(socket, 'error')
    expect(error.code).toBe('ENETUNREACH')
  })
})

/** Reads the id of anvil's process from the file next to the state file. */
const chainProcess = () => Number(readFileSync(`${stateFile}.pid`, 'utf8').split(' ')[1])

/** Returns the TCP ports on which a process listens (Linux). */
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
