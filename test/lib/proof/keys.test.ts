import { describe, expect, test } from 'vitest'
import { p } from '../../../lib/proof/field.ts'
import json from '../../../lib/proof/keys/semaphore-v3-depth-30.json' with { type: 'json' }
import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from '../../../lib/proof/keys.ts'
import { outsideSubgroup } from '../../support/proof/points.ts'

test('the keys of the real ceremonies have names', () => {
  expect([...ceremonyKeys.keys()]).toEqual(['semaphore-v3-depth-30', 'semaphore-legacy-depth-20'])
})

test.each([...ceremonyKeys])('%s is not the development key', (_name, key) => {
  expect(isDevelopmentKey(key)).toBe(false)
})

describe('a key file', () => {
  const [alphaX = '', alphaY = ''] = json.vk_alpha_1
  const written = outsideSubgroup.map((pair) => pair.map(String))

  test('in the form of snarkjs is read', () => {
    expect(parseVerificationKey({ ...json, vk_alphabeta_12: [] })).toEqual(
      ceremonyKeys.get('semaphore-v3-depth-30'),
    )
  })

  test.each([
    ['nothing', null],
    ['a proof', { pi_a: [] }],
    ['of another system', { ...json, protocol: 'plonk' }],
    ['of another curve', { ...json, curve: 'bls12381' }],
    ['for three signals', { ...json, nPublic: 3, IC: json.IC.slice(1) }],
    ['with a point too many', { ...json, IC: [...json.IC, json.IC[0]] }],
    ['with a point off the curve', { ...json, vk_alpha_1: [alphaY, alphaX, '1'] }],
    ['with the point at infinity', { ...json, vk_alpha_1: ['0', '1', '0'] }],
    ['with a zero point', { ...json, vk_alpha_1: ['0', '0', '1'] }],
    ['not reduced', { ...json, vk_alpha_1: [String(BigInt(alphaX) + p), alphaY, '1'] }],
    ['with a negative number', { ...json, vk_alpha_1: [`-${alphaX}`, alphaY, '1'] }],
    ['with a number in hex', { ...json, vk_alpha_1: ['0x1', '0x2', '1'] }],
    ['with a twist point off the curve', { ...json, vk_gamma_2: json.vk_gamma_2.toReversed() }],
    ['outside the subgroup', { ...json, vk_delta_2: [...written, ['1', '0']] }],
  ])('%s is refused', (_fault, key) => {
    expect(() => parseVerificationKey(key)).toThrow()
  })

  test('that is wrong is refused by name', () => {
    const ic = json.IC.with(3, ['1', '3', '1'])
    expect(() => parseVerificationKey({ ...json, IC: ic })).toThrow(/not a point of the curve/)
    expect(() => parseVerificationKey({ ...json, IC: ic })).toThrow(/"IC",\s*3/)
  })
})
