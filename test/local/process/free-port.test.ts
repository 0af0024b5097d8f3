import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'

const PROGRAM = `
  const { freePort } = await import('./local/process/free-port.ts')
  const ports = await Promise.all(Array.from({ length: 150 }, freePort))
  console.info(ports.join())
  // Keeps the process running until all processes have their ports.
  process.stdin.resume()
`

test('seven processes with 150 calls of freePort each get 1,050 different ports', async () => {
  const processes = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const lines = processes.map(
    ({ stdout }) => new Promise((resolve) => stdout.once('data', resolve)),
  )
  const ports = (await Promise.all(lines)).flatMap((line) => String(line).trim().split(','))
  const localPorts = await Promise.all(Array.from({ length: 150 }, freePort))
  for (const { stdin } of processes) stdin.end()
  const allPorts = [...ports, ...localPorts.map(String)]
  expect(allPorts).toHaveLength(7 * 150)
  expect(new Set(allPorts).size).toBe(allPorts.length)
})
