import { inspectPages } from '../support/portal/inspect-pages.ts'
import { WINDOWS } from '../support/portal/visits.ts'

inspectPages(WINDOWS[0])
