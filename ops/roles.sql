-- The roles of the database. The superuser, postgres, is for this file, backups and operators; no service has its password.
--
-- PostgreSQL's container runs this once, when it makes the database, before Hasura's first migration. It may be run again:
-- passwords and limits are then as they are written here. `npm start` and the tests run it, too.
--
-- A line that begins with a backslash is psql's own: these read the passwords from the environment.
\getenv hasura_password HASURA_DATABASE_PASSWORD
\getenv sign_in_password SIGN_IN_DATABASE_PASSWORD

do $$
begin
  if not exists (select from pg_roles where rolname = 'hasura') then
    create role hasura;
  end if;
  if not exists (select from pg_roles where rolname = 'sign_in') then
    create role sign_in;
  end if;
end
$$;

-- Hasura: owns the tables, applies the migrations, keeps its metadata. It may do nothing outside of this database.
alter role hasura
with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
password :'hasura_password';

-- The sign-in server: codes, tokens and sign-ins under way (the migration of oidc_artifact grants it that table) and
-- nothing else. Ten connections for each of five instances.
alter role sign_in
with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit 50
password :'sign_in_password';

-- Services wait five seconds for Hasura (HASURA_TIMEOUT_MS), and for the database directly: nobody waits for a statement that
-- takes longer. Real Hasura's free edition lets such a statement run on, whoever asked for it. Who waits for a lock gives
-- up earlier, so that no queue grows behind it.
alter role hasura set statement_timeout = '5s';
alter role hasura set lock_timeout = '3s';
alter role hasura set idle_in_transaction_session_timeout = '10s';
alter role sign_in set statement_timeout = '5s';
alter role sign_in set lock_timeout = '3s';
alter role sign_in set idle_in_transaction_session_timeout = '10s';

-- A mutation may have hundreds of statements, which share a transaction, with its locks: it has 15 seconds, and then its
-- connection is ended.
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    alter role hasura set transaction_timeout = '15s';
    alter role sign_in set transaction_timeout = '15s';
  end if;
end
$$;

-- By default everybody may connect, make temporary tables, look into the schema, and call every function.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to sign_in', current_database());
  execute format('alter database %I owner to hasura', current_database());
end
$$;
revoke all on schema public from public;
grant usage on schema public to sign_in;
alter default privileges for role hasura revoke execute on functions from public;
