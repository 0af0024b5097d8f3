import { inspectPages } from '../support/portal/inspect-pages.ts'
import { WINDOWS } from '../support/portal/windows.ts'

inspectPages(WINDOWS[1])
