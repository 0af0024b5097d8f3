import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { CREDENTIAL_NAMES } from '../../../lib/proof/protocol-4/credentials.ts'
import { createProofRequest } from '../../../portal/pages/try-it/protocol-4/proof-request.ts'
import {
  createSignature,
  keyAddressOf,
  signRequest,
} from '../../../portal/pages/try-it/protocol-4/sign-request.ts'

// Compares the requests of the page "Try it" with those of IDKit 4 from npm.

const fromExample = createRequire(resolve('examples/idkit/package.json'))
const fromIdKit = createRequire(fromExample.resolve('@worldcoin/idkit'))

const KEY = generatePrivateKey()
const APP = { id: 'app_staging_1', name: 'Club', rp_id: 'rp_00000000000000a1' }

afterEach(() => {
  vi.unstubAllGlobals()
})

test.each(['vote', '', '0xabcd', 'Zoë ✓'])(
  'the page signs a request for the action “%s” exactly as IDKit does',
  async (action) => {
    const { signRequest: signWithIdKit } = Signing.parse(fromExample('@worldcoin/idkit/signing'))
    const { sig, nonce, createdAt, expiresAt } = signWithIdKit({ signingKeyHex: KEY, action })
    const request = { action, nonce: HexText.parse(nonce), createdAt, expiresAt }
    expect(await createSignature(KEY, request)).toBe(sig)
  },
)

test('each signed request has a new nonce in the field and is valid for five minutes', async () => {
  const [first, second] = [await signRequest(KEY, 'vote'), await signRequest(KEY, 'vote')]
  expect(first.nonce).toMatch(/^0x00[0-9a-f]{62}$/)
  expect(first.nonce).not.toBe(second.nonce)
  expect(first.expiresAt - first.createdAt).toBe(300)
  expect(Math.abs(first.createdAt - Date.now() / 1_000)).toBeLessThan(10)
})

test('the address of a key is compared in lower case, and a number out of range is no key', () => {
  expect(keyAddressOf(KEY)).toBe(privateKeyToAddress(KEY).toLowerCase())
  expect(keyAddressOf(`0x${'0'.repeat(64)}`)).toBeNull()
  expect(keyAddressOf(`0x${'f'.repeat(64)}`)).toBeNull()
})

test('the page posts the same request to the bridge as IDKit for any credential of protocol 4.0', async () => {
  const signedRequest = await signRequest(KEY, 'vote')
  const {
    package_name: _name,
    package_version: _version,
    ...requestOfIdKit
  } = await captureRequest(signedRequest)
  const request = createProofRequest(APP, signedRequest, CREDENTIAL_NAMES)
  const { id } = request.proof_request
  expect({ ...requestOfIdKit, proof_request: { ...requestOfIdKit.proof_request, id } }).toEqual(
    request,
  )
})

const HexText = z.templateLiteral(['0x', z.string()])
const Signing = z.object({
  signRequest: z.function({
    input: [z.object({ signingKeyHex: z.string(), action: z.string() })],
    output: z.object({
      sig: z.string(),
      nonce: z.string(),
      createdAt: z.number(),
      expiresAt: z.number(),
    }),
  }),
})

type Signed = { nonce: Hex; signature: Hex; createdAt: number; expiresAt: number }

/** Runs IDKit 4 with a bridge that only receives the request, and decrypts the request with the key of the link. */
async function captureRequest({ nonce, signature, createdAt, expiresAt }: Signed) {
  const { IDKit, CredentialRequest, any } = await loadIdKit()
  const bridge = await startBridge()
  const { connectorURI } = await IDKit.request({
    app_id: APP.id,
    action: 'vote',
    action_description: `vote (${APP.name})`,
    rp_context: {
      rp_id: APP.rp_id,
      nonce,
      signature,
      created_at: createdAt,
      expires_at: expiresAt,
    },
    bridge_url: bridge.url,
    allow_legacy_proofs: false,
    environment: 'staging',
  }).constraints(
    any(...['proof_of_human', 'selfie', 'passport', 'mnc'].map((type) => CredentialRequest(type))),
  )
  await bridge.stop()
  return decryptRequest(connectorURI, bridge.requests[0])
}

/** Loads the package for browsers. It fetches its WebAssembly file, which Node's `fetch` cannot read from the disk. */
async function loadIdKit() {
  const realFetch = fetch
  vi.stubGlobal('fetch', async (input: Request | URL | string, init?: RequestInit) => {
    const address = new URL(input instanceof Request ? input.url : input)
    if (address.protocol !== 'file:') return realFetch(input, init)
    return new Response(await readFile(address), {
      headers: { 'content-type': 'application/wasm' },
    })
  })
  const entry = fromIdKit.resolve('@worldcoin/idkit-core').replace(/\.cjs$/, '.js')
  return import(pathToFileURL(entry).href)
}

/** Starts a bridge that stores the bodies of the requests. */
async function startBridge() {
  const requests: { iv: string; payload: string }[] = []
  const server = createServer(async (request, response) => {
    requests.push(Message.parse(await json(request)))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ request_id: crypto.randomUUID() }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Address.parse(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const Address = z.object({ port: z.number() })
const Message = z.object({ iv: z.string(), payload: z.string() })

async function decryptRequest(link: string, message: unknown) {
  const { iv, payload } = Message.parse(message)
  const secret = Buffer.from(new URL(link).searchParams.get('k') ?? '', 'base64')
  const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['decrypt'])
  const text = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: Buffer.from(iv, 'base64') },
    key,
    Buffer.from(payload, 'base64'),
  )
  return JSON.parse(new TextDecoder().decode(text))
}
