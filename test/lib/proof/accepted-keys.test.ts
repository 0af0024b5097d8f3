import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { selectAcceptedKeys } from '../../../lib/proof/accepted-keys.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'

const CEREMONY = 'semaphore-v3-depth-30'
const LEGACY = 'semaphore-legacy-depth-20'
const real = { production: [CEREMONY], staging: [CEREMONY], legacy: [LEGACY] }

let text: string

beforeAll(async () => {
  text = readFileSync((await developmentKey()).verificationKeyFile, 'utf8')
})

test('selectAcceptedKeys finds the keys of production, staging and legacy by name', () => {
  const { byName, names } = selectAcceptedKeys({
    ...real,
    developmentKey: null,
    isProduction: true,
  })
  expect(names).toEqual(real)
  expect([...byName.keys()]).toEqual([CEREMONY, LEGACY])
})

test('staging apps accept the development key', () => {
  const staging = ['development', CEREMONY]
  const { names } = selectAcceptedKeys({
    ...real,
    staging,
    developmentKey: text,
    isProduction: false,
  })
  expect(names.staging).toEqual(staging)
})

test.each(['production', 'legacy'])('the development key is rejected as a %s key', (kind) => {
  const choice = { ...real, [kind]: ['development'] }
  expect(() =>
    selectAcceptedKeys({ ...choice, developmentKey: text, isProduction: false }),
  ).toThrow(/development key/)
})

test('a development key is rejected in production, even if no list names the key', () => {
  expect(() => selectAcceptedKeys({ ...real, developmentKey: text, isProduction: true })).toThrow(
    /development key/,
  )
})

test('an unknown name of a key is rejected, and the error lists the known names', () => {
  const choice = { ...real, legacy: ['mine'], developmentKey: null, isProduction: false }
  expect(() => selectAcceptedKeys(choice)).toThrow(
    `must be one of ${CEREMONY}, ${LEGACY}; got "mine"`,
  )
})
