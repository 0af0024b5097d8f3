import { expect, test } from 'vitest'
import { meetsTarget } from '../../../../trials/bench/report/figure.ts'
import {
  createFiguresTable,
  createPart,
  replaceParts,
} from '../../../../trials/bench/report/figures-document.ts'

const row = { name: 'one', value: 50, unit: '/s' }

test.each([
  ['a ratio that is sufficient', { ...row, baseline: 100, target: { atLeast: 0.5 } }, true],
  ['a ratio that is too small', { ...row, baseline: 100.1, target: { atLeast: 0.5 } }, false],
  ['a figure without baseline that is sufficient', { ...row, target: { atMost: 50 } }, true],
  ['a figure that is too large', { ...row, target: { atMost: 49.9 } }, false],
  ['a figure without a target', row, null],
])('meetsTarget judges %s', (_title, figures, met) => {
  expect(meetsTarget(figures)).toBe(met)
})

test('a table shows each figure with its baseline, ratio and target', () => {
  const figures = [
    { ...row, baseline: 100, target: { atLeast: 0.6 } },
    { name: 'two', value: 1234.56, unit: 'ms', target: { atMost: 6_000 } },
  ]
  const table = createFiguresTable({ name: 'pool', minutes: 1, figures })
  expect(table.replaceAll(/ +/g, ' ').split('\n').slice(2)).toEqual([
    '| one | 50/s | 100/s | 0.50 | at least 0.6 | **no** |',
    '| two | 1,235 ms | | | at most 6,000 ms | yes |',
  ])
})

const RUN = {
  about: 'how fast it is',
  large: true,
  machine: ['2 cores of this', 'PostgreSQL 18.4'],
  at: new Date('2026-01-02T03:04:05Z'),
}

test('a part shows the command, day, machine and failure', () => {
  const figures = [{ ...row, target: { atLeast: 50 }, note: 'p99 3 ms' }]
  const part = createPart({ name: 'pool', minutes: 1.2, figures }, RUN)
  expect(part).toContain(
    'Measures how fast it is.\n\n`npm run bench -- pool --large`, on 2026-01-02 in 2 minutes, on 2 cores of this, PostgreSQL 18.4.',
  )
  expect(part).toContain('\n- one: p99 3 ms\n')
  const failed = createPart({ name: 'scale', minutes: 8, failure: 'not done after 480 s' }, RUN)
  expect(failed).toContain('**It did not finish: not done after 480 s.**')
})

test('a part replaces its earlier version and keeps the order of parts', () => {
  const order = ['pool', 'api', 'scale']
  const part = (name: string, value: number) =>
    createPart({ name, minutes: 1, figures: [{ ...row, value }] }, RUN)
  const page = replaceParts(
    '',
    new Map([...order].reverse().map((name) => [name, part(name, 1)])),
    order,
  )
  const renewed = replaceParts(page, new Map([['api', part('api', 2)]]), order)
  expect(renewed).toBe(page.replace(part('api', 1), part('api', 2)))
  expect(renewed).not.toBe(page)
  expect([...renewed.matchAll(/^## (.*)$/gm)].map(([, name]) => name)).toEqual(order)
})
