import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const FIGURES = readFileSync('docs/figures.md', 'utf8')
const PAGE = readFileSync('docs/operations/sizing.md', 'utf8')

/** The share of the cores that requests may use, and the ratio of the busiest to the average second of a day. */
const USABLE = 0.6
const PEAK = 10

/** Returns a number in milliseconds that the figures have after this text. */
function milliseconds(before: RegExp): number {
  const [, text = ''] = new RegExp(`${before.source}[^\\d]*([\\d.]+) ms`).exec(FIGURES) ?? []
  if (!text) throw new Error(`docs/figures.md has no figure for ${before}`)
  return Number(text)
}

const verification = milliseconds(/CPU of a verification, without the client/)
const proof = milliseconds(/CPU of a verification: the threads that verify/)
const flow = 'the whole code flow, without the check of the proof: half.*CPU of each: ours'
const signIn =
  milliseconds(new RegExp(flow)) +
  milliseconds(new RegExp(`${flow}.*?PostgreSQL`)) +
  milliseconds(new RegExp(`${flow}.*?the embedded engine`)) +
  proof

const rows = [
  ...PAGE.matchAll(/^\| (\d+) +\| ([\d,]+) +\| ([\d,]+) +\| ([\d,]+) +\| ([\d,]+) +\|$/gm),
]
const sizes = rows.map(([, ...cells]) => cells.map((cell) => Number(cell.replaceAll(',', ''))))

describe('docs/operations/sizing.md', () => {
  test('the table is for 2, 4 and 16 cores', () => {
    expect(sizes.map(([cores]) => cores)).toEqual([2, 4, 16])
  })

  test.each(sizes)(
    'the capacity of %i cores follows from the measured CPU times',
    (cores, verifications, verificationsADay, signIns, signInsADay) => {
      const aSecond = cores * 1_000 * USABLE
      const aDay = 86_400 / PEAK
      expectAbout(verifications, aSecond / verification)
      expectAbout(verificationsADay, (aSecond / verification) * aDay)
      expectAbout(signIns, aSecond / signIn)
      expectAbout(signInsADay, (aSecond / signIn) * aDay)
    },
  )
})

/** The page rounds, and a new measurement differs a little. Beyond a fifth, calculate the page again. */
function expectAbout(written: number | undefined, calculated: number) {
  expect(Math.abs((written ?? 0) / calculated - 1)).toBeLessThan(0.2)
}
