import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect } from 'vitest'
import { type CsvFile, csvLine, readPages, writeCsv } from '../../../portal/components/list/csv.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'

describe('csvLine writes a row as RFC 4180 describes it', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
    ['', ''],
  ])('the cell %j is written as %j', (text, cell) => {
    expect(csvLine([text, 'end'])).toBe(`${cell},end\r\n`)
  })
})

describe('writeCsv reads a list in pages', () => {
  const fileOf = (length: number): CsvFile => ({
    name: 'numbers.csv',
    header: ['Number'],
    async *pages() {
      const read = async (last: number | null, limit: number) =>
        Array.from({ length }, (_, n) => n).slice((last ?? -1) + 1, (last ?? -1) + 1 + limit)
      for await (const page of readPages(read)) yield page.map((number) => [String(number)])
    },
  })

  test.each([
    [0, 0, false],
    [2_000, 2_000, false],
    [2_500, 2_500, false],
    [2_501, 2_500, true],
  ])('a list of %i rows gives a file of %i rows', async (length, expected, isCut) => {
    const counts: number[] = []
    const written = await writeCsv(fileOf(length), {
      signal: new AbortController().signal,
      onRows: (count) => counts.push(count),
      maxRows: 2_500,
    })
    expect(written).toMatchObject({ count: expected, isCut })
    expect(written.parts.join('').split('\r\n')).toHaveLength(expected + 2)
    expect(counts.at(-1) ?? 0).toBe(expected)
  })

  test('an aborted export ends', async () => {
    const controller = new AbortController()
    const options = { signal: controller.signal, onRows: () => controller.abort() }
    await expect(writeCsv(fileOf(2_500), options)).rejects.toThrow()
  })
})

describe('the pages export what their filters show', () => {
  let scene: PortalScene
  test.beforeAll(({ scene: sharedScene }) => {
    scene = sharedScene
  })

  test('people, payments and the audit trail are exported as CSV files', async () => {
    const owner = await scene.createUser()
    const ids = await fillTeam(scene, owner)
    await scene.platform.db.query(
      `insert into transaction (app_id, reference, chain, transaction_hash, token, token_amount, "to")
      select $1, '=cmd' || n, 'local', '0x' || lpad(to_hex(n), 64, '0'), 'USDCE', '1500000', '0x' || repeat('a', 40)
      from generate_series(1, 1100) as n`,
      [ids.appId],
    )
    const { page, complaints } = await scene.openAs(
      owner.email,
      `${generatePath(PAGE_PATHS.payments, ids)}?status=pending`,
    )
    const payments = await exportFrom(page, 'payments.csv')
    // The filter shows order-1 and the payments above, and the file ends with a line break.
    expect(payments).toHaveLength(1 + 1 + 1_100 + 1)
    expect(payments[0]).toMatch(/^Reference,Type,Amount,Token,Status/)
    expect(payments.filter((line) => line.startsWith("'=cmd"))).toHaveLength(1_100)
    expect(payments[1]).toContain(',payment,1.5,USDCE,pending,no,')
    await page.getByText('Rows exported: 1,101.').waitFor()

    await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.audit, ids))
    const audit = await exportFrom(page, 'audit.csv')
    expect(audit.join('\n')).toContain('Created the action,Join,')

    await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.action, ids))
    const people = await exportFrom(page, 'people.csv')
    expect(people).toHaveLength(3)
    expect(people[1]).toMatch(/^0x[0-9a-f]{64},1,20/)
    expect(complaints).toEqual([])
    await scene.close(page)
  })
})

async function exportFrom(page: Page, name: string): Promise<string[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe(name)
  return readFileSync(await file.path(), 'utf8').split('\r\n')
}
