import { mkdirSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { errorCode } from '../../../lib/runtime/error-code.ts'

test.each([
  ['of Node', thrownBy(() => mkdirSync('/')), 'EEXIST'],
  [
    'of another realm',
    runInNewContext(`Object.assign(new Error('there'), { code: 'EEXIST' })`),
    'EEXIST',
  ],
  ['without a code', new Error('there'), undefined],
  ['whose code is a number', Object.assign(new Error('there'), { code: 17 }), undefined],
  ['that is null', null, undefined],
  ['that is a text', 'EEXIST', undefined],
])('the code of an error %s', (_which, error, code) => {
  expect(errorCode(error)).toBe(code)
})

function thrownBy(act: () => void): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
