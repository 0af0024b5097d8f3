export { startDatabase, type TestDatabaseServer } from './testing/start-database.ts'
export { type EngineOptions, startEngine } from './testing/start-engine.ts'
export type { QueryAnswer, Session, TestEngine } from './testing/test-engine.ts'
