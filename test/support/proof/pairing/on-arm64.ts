import { ARM64_NODE } from '../../../../scripts/arm64-node.ts'

// Runs before each file of `npm run test:arm64`: checks that the tests run on arm64, and makes them start arm64 processes.

if (process.arch !== 'arm64')
  throw new Error(`npm run test:arm64 must run its tests on arm64; got ${process.arch}.`)
process.execPath = ARM64_NODE
