import type { Facts } from '../../packages/platform/facts.ts'
import type { Outcome } from './verify-people.ts'

/** A running platform, its data folder, and the root that the people's proofs use. */
export type TestedPlatform = { facts: Facts; folder: string; root: bigint }

/** Causes a fault while people verify. @returns the outcome */
export type Scenario = (scene: TestedPlatform) => Promise<Outcome>
