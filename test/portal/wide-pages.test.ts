import { inspectPages } from '../support/portal/inspect-pages.ts'
import { WINDOWS } from '../support/portal/portal-scene.ts'

inspectPages(WINDOWS[0])
