import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { PAGE_PATHS } from '../../app/page-paths.ts'
import { PageTitle } from '../../components/page-title.tsx'

/** What is not there, or not for this person. */
export function NotFound() {
  return (
    <>
      <PageTitle title="There is nothing here" />
      <Text>
        It may have been removed, or you are not in its team.{' '}
        <Anchor component={Link} to={PAGE_PATHS.home}>
          To your teams
        </Anchor>
      </Text>
    </>
  )
}
