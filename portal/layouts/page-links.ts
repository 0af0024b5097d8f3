import {
  Braces,
  CreditCard,
  FlaskConical,
  History,
  KeyRound,
  LayoutDashboard,
  LayoutGrid,
  ListChecks,
  LogIn,
  type LucideIcon,
  ScrollText,
  SearchCheck,
  Settings,
  Users,
} from 'lucide-react'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { isAllowed, type Permission, type Role } from '../team/permissions.ts'

/** A link of the navigation. */
export type NavigationLink = {
  label: string
  path: string
  icon: LucideIcon
  /** The permission that the user needs for the page. */
  permission?: Permission
  /** True for a page that only staging apps have. */
  isForStaging?: boolean
}

/** The pages of a team. */
export const TEAM_LINKS: readonly NavigationLink[] = [
  { label: 'Overview', path: PAGE_PATHS.team, icon: LayoutDashboard },
  { label: 'Apps', path: PAGE_PATHS.apps, icon: LayoutGrid },
  { label: 'Members', path: PAGE_PATHS.members, icon: Users },
  { label: 'API keys', path: PAGE_PATHS.keys, icon: KeyRound, permission: 'readKeys' },
  { label: 'Audit', path: PAGE_PATHS.audit, icon: History, permission: 'readAudit' },
  { label: 'GraphQL', path: PAGE_PATHS.graphql, icon: Braces },
  { label: 'Settings', path: PAGE_PATHS.teamSettings, icon: Settings },
]

/** The pages of an app. */
export const APP_LINKS: readonly NavigationLink[] = [
  { label: 'Actions', path: PAGE_PATHS.actions, icon: ListChecks },
  { label: 'Try it', path: PAGE_PATHS.tryIt, icon: FlaskConical, isForStaging: true },
  { label: 'Proof debugger', path: PAGE_PATHS.debugProof, icon: SearchCheck },
  { label: 'Sign-in', path: PAGE_PATHS.signIn, icon: LogIn },
  { label: 'Payments', path: PAGE_PATHS.payments, icon: CreditCard },
  { label: 'Requests', path: PAGE_PATHS.requests, icon: ScrollText },
  { label: 'App settings', path: PAGE_PATHS.app, icon: Settings },
]

/** Returns the links that a role may use. */
export function linksFor(
  links: readonly NavigationLink[],
  role: Role,
  isStaging = false,
): NavigationLink[] {
  return links.filter(
    ({ permission, isForStaging = false }) =>
      (!permission || isAllowed(role, permission)) && (isStaging || !isForStaging),
  )
}
