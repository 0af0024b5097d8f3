import { readdir, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { compileContracts } from '../../../local/chain/compile.ts'

const CACHE = new URL('../../../.cache/', import.meta.url)

async function compilations() {
  const files = (await readdir(CACHE)).filter((file) => file.startsWith('contracts-'))
  return Promise.all(
    files.map(async (file) => [file, (await stat(new URL(file, CACHE))).mtimeMs] as const),
  )
}

test('compileContracts compiles every contract, and only once', async () => {
  const first = await compileContracts()
  for (const code of Object.values(first)) expect(code).toMatch(/^0x60[0-9a-f]+$/)
  const earlierCompilations = await compilations()
  expect(await Promise.all([compileContracts(), compileContracts()])).toEqual([first, first])
  expect(await compilations()).toEqual(earlierCompilations)
})

test('the code of contracts contains no compiler metadata', async () => {
  for (const code of Object.values(await compileContracts())) {
    // 'ipfs' and 'solc' are names in the metadata that the compiler appends to the code.
    expect(code).not.toContain(Buffer.from('ipfs').toString('hex'))
    expect(code).not.toContain(Buffer.from('solc').toString('hex'))
  }
})
