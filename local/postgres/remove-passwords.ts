/** Removes all passwords from a database URL, so that it can be shown and logged. */
export function removePasswords(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.password = ''
  for (const name of ['password', 'sslpassword']) url.searchParams.delete(name)
  return url.href
}
