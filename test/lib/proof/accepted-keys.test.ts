import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { acceptedKeys } from '../../../lib/proof/accepted-keys.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'

const CEREMONY = 'semaphore-v3-depth-30'
const LEGACY = 'semaphore-legacy-depth-20'
const real = { production: [CEREMONY], staging: [CEREMONY], legacy: [LEGACY] }

let text: string

beforeAll(async () => {
  text = readFileSync((await developmentKey()).verificationKeyFile, 'utf8')
})

test('keys are found by name, for each kind of app and for the first protocol', () => {
  const { byName, names } = acceptedKeys({ ...real, developmentKey: null, isProduction: true })
  expect(names).toEqual(real)
  expect([...byName.keys()]).toEqual([CEREMONY, LEGACY])
})

test('the development key is for staging apps', () => {
  const staging = ['development', CEREMONY]
  const { names } = acceptedKeys({ ...real, staging, developmentKey: text, isProduction: false })
  expect(names.staging).toEqual(staging)
})

test.each(['production', 'legacy'])('the development key is never a %s key', (kind) => {
  const choice = { ...real, [kind]: ['development'] }
  expect(() => acceptedKeys({ ...choice, developmentKey: text, isProduction: false })).toThrow(
    /development key/,
  )
})

test('a service in production does not start with a development key', () => {
  expect(() => acceptedKeys({ ...real, developmentKey: text, isProduction: true })).toThrow(
    /development key/,
  )
})

test('a name that nobody knows is refused, and the known ones are told', () => {
  const choice = { ...real, legacy: ['mine'], developmentKey: null, isProduction: false }
  expect(() => acceptedKeys(choice)).toThrow(`"mine"; the known keys are: ${CEREMONY}, ${LEGACY}`)
})
