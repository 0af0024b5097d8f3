import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { selectAcceptedKeys } from '../../../lib/proof/accepted-keys.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'

const CEREMONY = 'semaphore-v3-depth-30'
const LEGACY = 'semaphore-legacy-depth-20'
const PROTOCOL_4 = 'world-id-4'
const realNames = {
  production: [CEREMONY],
  staging: [CEREMONY],
  legacy: [LEGACY],
  production4: [PROTOCOL_4],
  staging4: [PROTOCOL_4],
}
const real = { ...realNames, developmentKey: null, developmentKey4: null, isProduction: false }

let text: string

beforeAll(async () => {
  text = readFileSync((await developmentKey()).verificationKeyFile, 'utf8')
})

test('selectAcceptedKeys finds the keys of each protocol and environment by name', () => {
  const { byName, names } = selectAcceptedKeys({ ...real, isProduction: true })
  expect(names).toEqual(realNames)
  expect([...byName.keys()]).toEqual([CEREMONY, LEGACY, PROTOCOL_4])
})

test('selectAcceptedKeys needs no key of protocol 4.0', () => {
  const { byName } = selectAcceptedKeys({ ...real, production4: [], staging4: [] })
  expect([...byName.keys()]).toEqual([CEREMONY, LEGACY])
})

test('staging apps accept the development key', () => {
  const staging = ['development', CEREMONY]
  const { names } = selectAcceptedKeys({ ...real, staging, developmentKey: text })
  expect(names.staging).toEqual(staging)
})

test.each(['production', 'legacy'])('the development key is rejected as a %s key', (kind) => {
  const choice = { ...real, [kind]: ['development'] }
  expect(() => selectAcceptedKeys({ ...choice, developmentKey: text })).toThrow(/development key/)
})

test('a development key is rejected in production, even if no list names the key', () => {
  expect(() => selectAcceptedKeys({ ...real, developmentKey: text, isProduction: true })).toThrow(
    /development key/,
  )
})

test('an unknown name of a key is rejected, and the error lists the known names', () => {
  expect(() => selectAcceptedKeys({ ...real, legacy: ['mine'] })).toThrow(
    `must be one of ${CEREMONY}, ${LEGACY}; got "mine"`,
  )
})

test('a key of the other protocol is rejected', () => {
  expect(() => selectAcceptedKeys({ ...real, production: [PROTOCOL_4] })).toThrow(
    `must be one of ${CEREMONY}, ${LEGACY}; got "${PROTOCOL_4}"`,
  )
  expect(() => selectAcceptedKeys({ ...real, staging4: [CEREMONY] })).toThrow(
    `must be one of ${PROTOCOL_4}; got "${CEREMONY}"`,
  )
})
