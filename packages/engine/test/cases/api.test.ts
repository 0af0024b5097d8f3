import { join } from 'node:path'
import { runCases } from '../support/run-cases.ts'

runCases(join(import.meta.dirname, 'api'))
