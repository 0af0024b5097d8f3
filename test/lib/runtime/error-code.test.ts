import { mkdirSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { errorCode } from '../../../lib/runtime/error-code.ts'

test.each([
  ['an error of Node', thrownBy(() => mkdirSync('/')), 'EEXIST'],
  [
    'an error of another realm',
    runInNewContext(`Object.assign(new Error('there'), { code: 'EEXIST' })`),
    'EEXIST',
  ],
  ['an error without a code', new Error('there'), undefined],
  ['an error with a numeric code', Object.assign(new Error('there'), { code: 17 }), undefined],
  ['null', null, undefined],
  ['a text', 'EEXIST', undefined],
])('the code of %s is %s', (_kind, error, code) => {
  expect(errorCode(error)).toBe(code)
})

function thrownBy(act: () => void): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
