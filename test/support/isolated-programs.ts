import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchDatabase } from '../../trials/bench/contenders/bench-database.ts'

/** Programs that test/trials/bench/run-isolated.test.ts runs as child processes; the first argument selects the program. */
const programs: Record<string, () => Promise<unknown>> = {
  sends: async () => ['one', 2],
  fails: () => Promise.reject(new Error('the disk is gone')),
  async failsElsewhere() {
    setTimeout(() => {
      throw new TypeError('a part ended by itself')
    }, 50)
    await sleep(60_000)
  },
  async hangs() {
    const { folder } = await startBenchDatabase()
    const [pid] = readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    writeFileSync(process.argv[3] ?? '', JSON.stringify({ folder, pid }))
    await sleep(600_000)
  },
}

const message = await programs[process.argv[2] ?? '']?.()
process.send?.(message)
process.disconnect()
