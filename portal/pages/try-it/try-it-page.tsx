import { Button } from '@mantine/core'
import { CircleCheckBig, FlaskConical } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useActionChoices } from '../../team/action-field.tsx'
import { useApp } from '../../team/current-app.tsx'
import { Trial } from './trial.tsx'

/** The page that asks a wallet for a proof, as a website does, and verifies it. */
export function TryItPage() {
  const { is_staging } = useApp()
  return (
    <>
      <PageTitle
        title="Try it"
        about="Ask a wallet for a proof as your website does. The platform then verifies and counts it."
      />
      {is_staging ? (
        <StagingTrial />
      ) : (
        <EmptyState
          icon={FlaskConical}
          title="Only staging apps can be tried"
          text="A production app counts real people permanently. Create a staging app for tests."
        />
      )}
    </>
  )
}

function StagingTrial() {
  const { id: appId, team_id: teamId } = useApp()
  const query = useActionChoices('')
  return (
    <Loaded query={query}>
      {([latest]) =>
        latest ? (
          <Trial latestAction={latest.action} />
        ) : (
          <EmptyState
            icon={CircleCheckBig}
            title="No action yet"
            text="Create an action first. People verify for an action."
            action={
              <Button
                component={Link}
                to={generatePath(PAGE_PATHS.actions, { teamId, appId })}
                variant="default"
              >
                Go to actions
              </Button>
            }
          />
        )
      }
    </Loaded>
  )
}
