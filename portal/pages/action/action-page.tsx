import { Alert, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { oneOf } from '../../components/url-state/url-parameters.ts'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { peopleRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { NotFound } from '../not-found/not-found-page.tsx'
import { PeopleStatistics } from '../statistics/people-statistics.tsx'
import { type Action, actionQuery } from './action.ts'
import { limitInWords } from './limit-in-words.ts'
import { PeopleTable } from './people-table.tsx'
import { ActionSettings } from './settings/action-settings.tsx'
import { Snippets } from './snippets.tsx'

const TAB = oneOf(['people', 'code', 'settings'])

/** The page of an action: its people, example programs and settings. */
export function ActionPage() {
  const { id: appId } = useApp()
  const { actionId = '' } = useParams()
  const query = useQuery(actionQuery(actionId))
  return (
    <Loaded query={query}>
      {(action) =>
        action?.app_id === appId ? <ActionTabs key={action.id} action={action} /> : <NotFound />
      }
    </Loaded>
  )
}

function ActionTabs({ action }: { action: Action }) {
  const mayChange = useAllowed('changeAction')
  const [{ tab }, setState] = useUrlState({ tab: TAB })
  return (
    <>
      <PageTitle
        title={action.name || action.action}
        about={`${action.action} · each person ${limitInWords(action.max_verifications)}`}
      />
      {action.status !== 'active' && (
        <Alert color="orange" mb="lg">
          This action is inactive. People cannot verify for it.
        </Alert>
      )}
      <Tabs
        value={mayChange || tab !== 'settings' ? tab : 'people'}
        onChange={(chosen) => setState({ tab: TAB(chosen ?? '') })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="people">People</Tabs.Tab>
          <Tabs.Tab value="code">Code</Tabs.Tab>
          {mayChange && <Tabs.Tab value="settings">Settings</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="people">
          <People actionId={action.id} />
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <ApiPanel
            about="This request lists the people who verified last for this action."
            query={peopleRequest(action.id)}
          />
          <Snippets
            action={action.action}
            protocol={action.protocol}
            credentials={action.credentials}
          />
        </Tabs.Panel>
        {/* Keeps what the user has entered while another tab is open. */}
        <Tabs.Panel value="settings" keepMounted>
          <ActionSettings action={action} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function People({ actionId }: { actionId: string }) {
  return (
    <Stack gap="xl">
      <PeopleStatistics actionId={actionId}>
        {({ verifications }) => <Verifications count={verifications} />}
      </PeopleStatistics>
      <PeopleTable actionId={actionId} />
    </Stack>
  )
}

/** Says how often the people in the figures above have verified. */
function Verifications({ count }: { count: number }) {
  return (
    <Text>
      <Text span fw={650} size="xl">
        {count.toLocaleString('en')}
      </Text>{' '}
      <Text span c="dimmed">
        {count === 1 ? 'verification by these people' : 'verifications by these people'}
      </Text>
    </Text>
  )
}
