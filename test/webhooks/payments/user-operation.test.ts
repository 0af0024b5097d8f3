import { describe, expect } from 'vitest'
import { emitUserOperation, OPERATION_SENDER } from '../../support/clients/user-operation-event.ts'
import { platform, setTheScene } from '../../support/webhooks/payment-scene.ts'
import { hash } from '../../support/webhooks/payments.ts'
import { test } from '../../support/webhooks/platform-test.ts'

setTheScene()

describe('a user operation leads to its transaction', () => {
  test.each([
    [true, 'success'],
    [false, 'failed'],
  ])('a user operation whose success is %s has the status %s', async (succeeded, status) => {
    const userOpHash = hash()
    const transaction_hash = await emitUserOperation(platform, { userOpHash, succeeded })
    expect(await find(userOpHash.toUpperCase().replace('X', 'x'))).toEqual({
      status: 200,
      body: { status, userOpHash, sender: OPERATION_SENDER, transaction_hash, nonce: '0x7' },
    })
  })

  test('a user operation that no block has is pending', async () => {
    const userOpHash = hash()
    const reply = await find(userOpHash)
    expect(reply).toEqual({
      status: 200,
      body: { status: 'pending', userOpHash, sender: null, transaction_hash: null, nonce: null },
    })
  })

  test('the event of a contract that is not an entry point does not count', async () => {
    const userOpHash = hash()
    await emitUserOperation(platform, {
      userOpHash,
      at: '0x00000000000000000000000000000000000000ab',
    })
    expect(await find(userOpHash)).toMatchObject({ status: 200, body: { status: 'pending' } })
  })

  test.each(['0x1234', 'abc', `0x${'g'.repeat(64)}`, `${hash()}00`])(
    'the hash %s gets 400',
    async (text) => {
      expect(await find(text)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', attribute: 'user_op_hash' },
      })
    },
  )

  test('pages of any origin may read the transaction of a user operation', async () => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/userop/${hash()}`, {
      headers: { origin: 'https://mini-app.example' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

async function find(userOpHash: string) {
  const response = await fetch(`${platform.baseUrl}/api/v2/minikit/userop/${userOpHash}`)
  const body: unknown = await response.json()
  return { status: response.status, body }
}
