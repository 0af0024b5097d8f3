import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useApp } from '../../team/current-app.tsx'
import {
  type LogView,
  type Place,
  readLogView,
  requestLogQuery,
  writeLogView,
} from './request-log.ts'
import { RequestTable } from './request-table.tsx'

/** The page of the verifications and sign-ins of an app that the platform refused in the last day. */
export function RequestsPage() {
  const { id: appId } = useApp()
  const [parameters, setParameters] = useSearchParams()
  const view = readLogView(parameters)
  const query = useQuery(requestLogQuery(appId, view))
  const show = (next: LogView) => setParameters(writeLogView(next))
  const { code } = view
  return (
    <>
      <PageTitle
        title="Requests"
        about="The last 1,000 verifications and sign-ins of this app that the platform refused, for a day."
        action={<RefreshButton query={query} />}
      />
      <Stack>
        <Group justify="space-between" align="flex-end">
          <Select
            label="Code"
            w={280}
            placeholder="All codes"
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Show all codes' }}
            data={choicesOf(query.data?.codes ?? [], code)}
            value={code}
            onChange={(value) => show({ code: value, before: null })}
          />
          <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm">
            API reference
          </Anchor>
        </Group>
        <Loaded query={query} lines={8}>
          {({ rows, last }) => (
            <>
              {rows.length > 0 ? <RequestTable requests={rows} /> : <NoRequests code={code} />}
              <Pages view={view} last={last} onShow={show} />
            </>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

type RefreshButtonProps = { query: { dataUpdatedAt: number; refetch(): unknown } }

/** A button that reads the log again, and the time when the log was last read. */
function RefreshButton({ query: { dataUpdatedAt, refetch } }: RefreshButtonProps) {
  return (
    <Group gap="sm">
      {dataUpdatedAt > 0 && (
        <Text size="sm" c="dimmed">
          Updated at {CLOCK.format(dataUpdatedAt)}
        </Text>
      )}
      <Button variant="default" onClick={() => refetch()}>
        Refresh
      </Button>
    </Group>
  )
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** Returns the codes in the log, and the chosen code, which may have left the log. */
function choicesOf(codes: readonly string[], chosen: string | null): string[] {
  return chosen === null || codes.includes(chosen) ? [...codes] : [chosen, ...codes]
}

function NoRequests({ code }: { code: string | null }) {
  return code === null ? (
    <EmptyState
      icon={CircleCheck}
      title="No refused request"
      text="If the platform refuses a verification or a sign-in of this app, you see here why."
    />
  ) : (
    <EmptyState
      icon={CircleCheck}
      title="No request with this code"
      text="Choose another code, or show all codes."
    />
  )
}

type PagesProps = { view: LogView; last: Place | null; onShow(view: LogView): void }

/** The buttons for the older and the newest rows. */
function Pages({ view: { code, before }, last, onShow }: PagesProps) {
  return (
    <Group>
      {before && (
        <Button variant="default" onClick={() => onShow({ code, before: null })}>
          Newest requests
        </Button>
      )}
      {last && (
        <Button
          variant="default"
          onClick={() => onShow({ code, before: { created_at: last.created_at, id: last.id } })}
        >
          Older requests
        </Button>
      )}
    </Group>
  )
}
