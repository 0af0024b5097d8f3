import { Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { CsvButton } from '../../components/list/csv-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'
import { auditCsv } from './audit-csv.ts'
import { AuditFilterFields } from './audit-filter-fields.tsx'
import { AUDIT_PARAMETERS, auditQuery } from './audit-query.ts'
import { AuditTable } from './audit-table.tsx'

/** The page that lists changes to the team. */
export function AuditPage() {
  return (
    <RequirePermission permission="readAudit" title="Audit">
      <AuditContent />
    </RequirePermission>
  )
}

function AuditContent() {
  const { id: teamId } = useTeam()
  const [filters, setFilters] = useUrlState(AUDIT_PARAMETERS)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const query = useInfiniteQuery(auditQuery(teamId, filters))
  const entries = query.data?.pages.flat() ?? []
  return (
    <>
      <PageTitle
        title="Audit"
        about="Changes to keys, secrets, members, invites, redirect URIs and payments, and to the settings that decide who can verify."
        action={<CsvButton file={auditCsv(teamId, filters)} />}
      />
      <Stack>
        <AuditFilterFields
          filters={filters}
          onChange={(changes) => setFilters(changes, { isStep: true })}
        />
        <Loaded query={query}>
          {() =>
            entries.length > 0 ? (
              <AuditTable entries={entries} />
            ) : (
              <EmptyState
                icon={History}
                title={isFiltered ? 'No change matches' : 'No changes yet'}
                text={
                  isFiltered
                    ? 'Choose another person, subject or day.'
                    : 'Changes to your team and its apps are listed here.'
                }
              />
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
    </>
  )
}
