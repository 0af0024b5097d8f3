import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'

const PROGRAM = `
  const { freePort } = await import('./local/process/free-port.ts')
  const ports = await Promise.all(Array.from({ length: 150 }, freePort))
  console.info(ports.join())
  // Until all processes have their ports.
  process.stdin.resume()
`

test('nobody is given a port that another has, in this process or beside it', async () => {
  const processes = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const told = processes.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve)))
  const ports = (await Promise.all(told)).flatMap((line) => String(line).trim().split(','))
  const own = await Promise.all(Array.from({ length: 150 }, freePort))
  for (const { stdin } of processes) stdin.end()
  const all = [...ports, ...own.map(String)]
  expect(all).toHaveLength(7 * 150)
  expect(new Set(all).size).toBe(all.length)
})
