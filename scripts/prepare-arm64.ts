import { prepareArm64Node } from './arm64-node.ts'

// Prepares the emulated Node for `npm run test:arm64`, which tests the pairing engine, or prints what is missing.

try {
  prepareArm64Node()
} catch (error) {
  console.error(`Not checked. ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
