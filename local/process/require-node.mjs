// For what is imported: a program that imports it says why it ends, and a test runner says why a test fails.
import { oldNode } from './old-node.mjs'

if (oldNode !== null) throw new Error(oldNode)
