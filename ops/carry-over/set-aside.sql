-- Moves the tables of an earlier version into the schema "earlier", so that Hasura creates the tables of this version
-- as in an empty database. Nothing is deleted. Instructions: docs/operations/upgrade.md. Run it as superuser while
-- no service runs, then run ops/roles.sql again.

begin;
alter schema public rename to earlier;
-- Hasura's record of the migrations, and its metadata.
alter schema hdb_catalog rename to earlier_hdb_catalog;
create schema public authorization pg_database_owner;
commit;
