import { describe, expect, test } from 'vitest'
import { p } from '../../../lib/proof/field.ts'
import json from '../../../lib/proof/keys/semaphore-v3-depth-30.json' with { type: 'json' }
import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from '../../../lib/proof/keys.ts'
import { outsideSubgroup } from '../../support/proof/points.ts'

test('ceremonyKeys has the keys of three real ceremonies, with their numbers of signals', () => {
  expect([...ceremonyKeys].map(([name, { ic }]) => [name, ic.length - 1])).toEqual([
    ['semaphore-v3-depth-30', 4],
    ['semaphore-legacy-depth-20', 4],
    ['world-id-4', 15],
  ])
})

test.each([...ceremonyKeys])(
  'the key %s of a real ceremony is not the development key',
  (_name, key) => {
    expect(isDevelopmentKey(key)).toBe(false)
  },
)

describe('parseVerificationKey reads key files', () => {
  const [alphaX = '', alphaY = ''] = json.vk_alpha_1
  const pointOutside = outsideSubgroup.map((pair) => pair.map(String))

  test('parseVerificationKey accepts a key with vk_alphabeta_12, as snarkjs writes it', () => {
    expect(parseVerificationKey({ ...json, vk_alphabeta_12: [] })).toEqual(
      ceremonyKeys.get('semaphore-v3-depth-30'),
    )
  })

  test.each([
    ['null', null],
    ['a proof', { pi_a: [] }],
    ['a key of another protocol', { ...json, protocol: 'plonk' }],
    ['a key of another curve', { ...json, curve: 'bls12381' }],
    ['a key without signals', { ...json, nPublic: 0, IC: json.IC.slice(0, 1) }],
    ['a key for five signals with five points', { ...json, nPublic: 5 }],
    ['a key for half a signal', { ...json, nPublic: 3.5 }],
    ['a key with a point too few', { ...json, IC: json.IC.slice(1) }],
    ['a key with an extra point', { ...json, IC: [...json.IC, json.IC[0]] }],
    ['a key with a point off the curve', { ...json, vk_alpha_1: [alphaY, alphaX, '1'] }],
    ['a key with the point at infinity', { ...json, vk_alpha_1: ['0', '1', '0'] }],
    ['a key with a zero point', { ...json, vk_alpha_1: ['0', '0', '1'] }],
    [
      'a key with a number over the modulus',
      { ...json, vk_alpha_1: [String(BigInt(alphaX) + p), alphaY, '1'] },
    ],
    ['a key with a negative number', { ...json, vk_alpha_1: [`-${alphaX}`, alphaY, '1'] }],
    ['a key with a number in hex', { ...json, vk_alpha_1: ['0x1', '0x2', '1'] }],
    ['a key with a point off the twist', { ...json, vk_gamma_2: json.vk_gamma_2.toReversed() }],
    [
      'a key with a point outside the subgroup',
      { ...json, vk_delta_2: [...pointOutside, ['1', '0']] },
    ],
  ])('parseVerificationKey rejects %s', (_fault, key) => {
    expect(() => parseVerificationKey(key)).toThrow()
  })

  test('the error about an invalid key names the invalid member', () => {
    const ic = json.IC.with(3, ['1', '3', '1'])
    expect(() => parseVerificationKey({ ...json, IC: ic })).toThrow(/not a point of the curve/)
    expect(() => parseVerificationKey({ ...json, IC: ic })).toThrow(/"IC",\s*3/)
  })
})
