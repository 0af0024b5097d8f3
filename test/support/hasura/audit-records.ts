import { project } from './own-team-scene.ts'

export type AuditRecord = {
  team_id: string | null
  actor_role: string
  operation: string
  subject: string
  subject_id: string
  changes: unknown
}

/** Returns a record of a task of the role reviewer; by default the update of a row without a team. */
export function reviewerRecord(fields: Partial<AuditRecord>): AuditRecord {
  const defaults = { team_id: null, actor_role: 'reviewer', operation: 'update' }
  return { ...defaults, subject: '', subject_id: '', changes: {}, ...fields }
}

/** Reads the records of the audit trail that meet the condition, in the order of their times. */
export async function readTrail(condition: string): Promise<AuditRecord[]> {
  const rows = await project.rows(`
    select jsonb_build_object('team_id', team_id, 'actor_role', actor_role, 'operation', operation,
      'subject', subject, 'subject_id', subject_id, 'changes', changes)
    from audit where ${condition} order by created_at`)
  return rows.map(([row]) => JSON.parse(row ?? ''))
}

export async function latestRecord(): Promise<AuditRecord | undefined> {
  return (await readTrail('true')).at(-1)
}
