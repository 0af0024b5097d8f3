import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Project, serveProject } from './project.ts'
import { makeTeam, removeTeam, teamRowId } from './team-rows.ts'

export const TEAM = teamRowId('mine', 'team')
export const APP = teamRowId('mine', 'app', 1)

/** A project with the rows of the team `mine`. */
export let project: Project

/** Sets the scene for the calling file; each test starts with new rows of the team. */
export function setTheScene(): void {
  beforeAll(async () => {
    project = await serveProject()
    await project.sql(
      "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
    )
  })
  afterAll(async () => {
    await project?.stop()
  })
  beforeEach(async () => {
    await removeTeam(project, 'mine')
    await makeTeam(project, 'mine')
  })
}
