import { ARM64_NODE } from '../../../../scripts/arm64-node.ts'

// Runs before each file of `npm run test:arm64`: its claims are made about arm64, and what it starts runs there, too.

if (process.arch !== 'arm64') throw new Error(`These tests run on ${process.arch}.`)
process.execPath = ARM64_NODE
