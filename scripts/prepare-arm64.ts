import { prepareArm64Node } from './arm64-node.ts'

// Makes what `npm run test:arm64` runs the tests of the pairing engine with, or says what is missing.

try {
  prepareArm64Node()
} catch (error) {
  console.error(`Not checked. ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
