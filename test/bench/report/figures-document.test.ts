import { expect, test } from 'vitest'
import { isMet } from '../../../bench/report/figure.ts'
import { figuresDocument, figuresTable } from '../../../bench/report/figures-document.ts'

const row = { name: 'one', value: 50, unit: '/s' }

test.each([
  [
    'the ratio, where there is a baseline',
    { ...row, baseline: 100, wanted: { atLeast: 0.5 } },
    true,
  ],
  ['a ratio just too small', { ...row, baseline: 100.1, wanted: { atLeast: 0.5 } }, false],
  ['the figure, where there is none', { ...row, wanted: { atMost: 50 } }, true],
  ['a figure just too large', { ...row, wanted: { atMost: 49.9 } }, false],
  ['nothing', row, null],
])('what is wanted is of %s', (_title, given, met) => {
  expect(isMet(given)).toBe(met)
})

test('every figure stands beside its baseline, its ratio and what is wanted', () => {
  const figures = [
    { ...row, baseline: 100, wanted: { atLeast: 0.6 } },
    { name: 'two', value: 1234.56, unit: 'ms', wanted: { atMost: 6_000 } },
  ]
  const table = figuresTable([
    { name: 'pool', minutes: 1, figures },
    { name: 'scale', minutes: 8, failure: 'not done after 480 s' },
  ])
  expect(table.replaceAll(/ +/g, ' ').split('\n').slice(2)).toEqual([
    '| pool | one | 50/s | 100/s | 0.50 | at least 0.6 | **no** |',
    '| pool | two | 1,235 ms | | | at most 6,000 ms | yes |',
    '| scale | **did not finish: not done after 480 s** | | | | | no |',
  ])
})

test('the document tells the machine, the day, and how many are met', () => {
  const figures = [{ ...row, wanted: { atLeast: 50 }, note: 'p99 3 ms' }, row]
  const document = figuresDocument({
    results: [{ name: 'pool', minutes: 1.2, figures }],
    machine: ['2 cores of this', 'PostgreSQL 18.4'],
    at: new Date('2026-01-02T03:04:05Z'),
    large: false,
  })
  expect(document).toContain(
    'Measured on 2026-01-02 by `npm run bench -- all` in 2 minutes, on 2 cores of this, PostgreSQL 18.4.',
  )
  expect(document).toContain('1 meet their target, 0 do not, 1 have none.')
  expect(document).toContain('- `pool`, one: p99 3 ms')
})
