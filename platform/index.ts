export {
  type PlatformOptions,
  type Purpose,
  startPlatform,
  type TestPlatform,
} from './test-platform.ts'
