-- The roles of the database. The superuser postgres is only for this file, backups and operators; no service has its
-- password.
--
-- PostgreSQL's container runs this file once, when it creates the database, before Hasura's first migration. Running it
-- again sets passwords and limits to the values below. `npm start` and the tests run it, too.
--
-- Lines with a backslash are commands of psql. These read the passwords from the environment.
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

-- Hasura owns the database and its tables, applies the migrations and stores its metadata. It may not create databases or
-- roles.
alter role hasura
with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
password :'hasura_password';

-- The sign-in server may access only the table oidc_artifact with codes, tokens and sign-ins in progress (the table's
-- migration grants it). The limit is ten connections for each of five instances.
alter role sign_in
with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit 50
password :'sign_in_password';

-- Services wait five seconds for Hasura (HASURA_TIMEOUT_MS) and for the database, so longer statements are useless.
-- Hasura's free edition does not cancel a statement when its caller has disconnected. A statement that waits for a lock
-- fails earlier, so that not too many statements wait.
alter role hasura set statement_timeout = '5s';
alter role hasura set lock_timeout = '3s';
alter role hasura set idle_in_transaction_session_timeout = '10s';
alter role sign_in set statement_timeout = '5s';
alter role sign_in set lock_timeout = '3s';
alter role sign_in set idle_in_transaction_session_timeout = '10s';

-- A mutation may run hundreds of statements in a transaction that holds locks. So after 15 seconds PostgreSQL (from
-- version 17 on) ends the transaction, and closes its connection.
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    alter role hasura set transaction_timeout = '15s';
    alter role sign_in set transaction_timeout = '15s';
  end if;
end
$$;

-- By default every role may connect, create temporary tables, use the schema and call every function. These statements
-- revoke the rights, for the functions that hasura creates from now on.
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
